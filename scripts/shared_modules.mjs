/**
 * Joins published modules into one file: those that a page's first script and later code both use.
 *
 * A bundler that splits code makes a file for each set of entries that share a module. esbuild made
 * ten files of some hundred bytes, in three steps of loading, before the first tile. As one module
 * they are one file.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { StepFailed } from "./run_command.mjs";

const SHARED = "shared.js";

/** The imports of a typical page. The modules in its first script are worth joining. */
const FIRST_NAMES = "export { open, get, slice }";

/** The files that are loaded with an output, without the output itself. */
function loadedWith(outputs, first) {
  const loaded = new Set();
  const follow = (name) => {
    for (const { path, kind } of outputs[name].imports) {
      if (kind !== "import-statement" || loaded.has(path) || !(path in outputs)) continue;
      loaded.add(path);
      follow(path);
    }
  };
  follow(first);
  return [...loaded];
}

const bundleInMemory = (build, contents, folder) =>
  build({
    stdin: { contents, resolveDir: folder, sourcefile: "first.js" },
    absWorkingDir: folder,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    external: ["node:*"],
    write: false,
    metafile: true,
    logLevel: "error",
  });

/** The names of the modules that the first script shares with later code. */
async function sharedModules(build, folder) {
  const { metafile } = await bundleInMemory(build, `${FIRST_NAMES} from "./entry/index.js"`, folder);
  const first = Object.keys(metafile.outputs).find(
    (name) => metafile.outputs[name].entryPoint === "first.js",
  );
  const inputs = loadedWith(metafile.outputs, first).flatMap((name) =>
    Object.entries(metafile.outputs[name].inputs),
  );
  return inputs
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([name]) => name)
    .sort();
}

/** The names that each module exports. */
async function exportsOf(build, folder, names) {
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: names,
    outdir: folder,
    bundle: false,
    format: "esm",
    write: false,
    metafile: true,
  });
  const found = Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]);
  return new Map(found);
}

const pathBetween = (from, to) => {
  const path = relative(dirname(from), to).split(sep).join("/");
  return path.startsWith(".") ? path : `./${path}`;
};

/**
 * The name of a joined module's export in the joined file, where two modules may export the same
 * name.
 */
const joinedName = (at, name) => `m${at}_${name}`;

/** Replaces the names in `{ a, b as c }` by those in the joined file. */
function joinedList(at, list) {
  const items = list.split(",").map((item) => item.trim());
  return items
    .filter((item) => item !== "")
    .map((item) => {
      const [name, as = name] = item.split(/\s+as\s+/);
      return `${joinedName(at, name)} as ${as}`;
    })
    .join(", ");
}

/** Replaces the imports of joined modules in a module's text by imports from the joined file. */
function withJoinedImports({ module, text, names, exported }) {
  const shared = pathBetween(module, SHARED);
  const placeOf = (path) => names.indexOf(join(dirname(module), path).split(sep).join("/"));
  const lists = text.replace(
    /\b(import|export)\s*\{([^}]*)\}\s*from\s*"(\.[^"]+)"/g,
    (all, verb, list, path) => {
      const at = placeOf(path);
      return at < 0 ? all : `${verb} { ${joinedList(at, list)} } from "${shared}"`;
    },
  );
  const whole = lists.replace(/\bexport\s*\*\s*from\s*"(\.[^"]+)"/g, (all, path) => {
    const at = placeOf(path);
    return at < 0 ? all : `export { ${joinedList(at, exported.get(names[at]).join(","))} } from "${shared}"`;
  });
  const left = [...whole.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*"(\.[^"]+)"/g)].find(
    ([, path]) => placeOf(path) >= 0,
  );
  if (left) throw new StepFailed(`${module} imports ${left[1]} in a way that cannot be joined: ${left[0]}`);
  return whole;
}

/** Writes the joined file. */
async function writeShared(build, { folder, names, exported, minify }) {
  const lines = names.map((module, at) => {
    const list = exported.get(module).map((name) => `${name} as ${joinedName(at, name)}`);
    return `export { ${list.join(", ")} } from "./${module}";`;
  });
  const others = {
    name: "other modules stay files",
    setup(plugin) {
      plugin.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const module = relative(folder, join(resolveDir, path)).split(sep).join("/");
        return names.includes(module)
          ? undefined
          : { path: `./${module}`, external: true, sideEffects: false };
      });
    },
  };
  await build({
    stdin: { contents: lines.join("\n"), resolveDir: folder },
    absWorkingDir: folder,
    outfile: join(folder, SHARED),
    bundle: true,
    format: "esm",
    target: "es2022",
    minifySyntax: minify,
    external: ["node:*"],
    plugins: [others],
    logLevel: "warning",
  });
}

/** Joins the shared modules of a folder of published modules. */
export async function joinSharedModules(build, folder, { minify }) {
  const names = await sharedModules(build, folder);
  const exported = await exportsOf(build, folder, names);
  await writeShared(build, { folder, names, exported, minify });
  for (const name of names) rmSync(join(folder, name));
  for (const file of readdirSync(folder, { recursive: true }).map(String)) {
    const module = file.split(sep).join("/");
    if (!module.endsWith(".js")) continue;
    const text = readFileSync(join(folder, module), "utf8");
    const joined = withJoinedImports({ module, text, names, exported });
    if (joined !== text) writeFileSync(join(folder, module), joined);
  }
}
