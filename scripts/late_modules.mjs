/**
 * Publishes the code that few pages run as one module without imports, `late.js`, which is loaded
 * with `import()`: writing, codecs of users, files of the machine.
 *
 * It is a function that gets the modules which it shares with the page's first script. If it
 * imported them, bundlers that split code would move them to a file of their own, and every page
 * would wait for one more round trip before its first call. `engine/caller.js` imports nothing for
 * the same reason. It speaks to the page by messages alone, so it has copies.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { ROOT, StepFailed } from "./run_command.mjs";

/** The targets of `import()` that are published in `late.js`. */
const LATE = [
  "api/codecs.js",
  "api/engine_codec.js",
  "api/write/changing.js",
  "api/write/write.js",
  "compat/by_chunk.js",
  "files/directory.js",
  "files/reading.js",
];

/** Other targets of `import()`. They import nothing. */
const ALONE = /(^|\/)(engine\/caller|wasm_file|\w+-(wasm|texts|programs))\.js$/;

const CALLER = "engine/caller.js";

/** The imports of a typical page. The late code gets their modules. */
const FIRST_NAMES = "export { open, get, slice }";

/**
 * Source text of a module that must not be there twice: it holds state, or classes that
 * `instanceof` asks for.
 */
const IS_SINGLE = /^(export )?(let |(abstract )?class |const .*= new (Weak)?(Map|Set)\b.*\(\);$)/m;

const bundled = (folder, options) => ({
  absWorkingDir: folder,
  bundle: true,
  format: "esm",
  target: "es2022",
  platform: "browser",
  external: ["node:*"],
  write: false,
  metafile: true,
  logLevel: "error",
  ...options,
});

/** A plugin that leaves the targets of `import()` out. */
const withoutLater = {
  name: "without what is loaded later",
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path, external: true, sideEffects: false } : undefined,
    );
  },
};

const slashes = (path) => path.split(sep).join("/");

/** The modules in the first script of a page with these imports. */
async function modulesOf(build, folder, names) {
  const stdin = { contents: `${names} from "./entry/index.js"`, resolveDir: folder };
  const { metafile } = await build(bundled(folder, { stdin, plugins: [withoutLater] }));
  const [{ inputs }] = Object.values(metafile.outputs);
  return Object.keys(inputs).filter((name) => inputs[name].bytesInOutput > 0);
}

function isSingle(module) {
  const source = join(ROOT, "src/ts", module.replace(/\.js$/, ".ts"));
  return existsSync(source) && IS_SINGLE.test(readFileSync(source, "utf8"));
}

/**
 * The modules that the late code gets: those of a typical page, and those that must be single.
 * Their places in the list are their names in the late code, because the first download has these
 * names.
 */
async function sharedModules(build, folder) {
  const first = await modulesOf(build, folder, FIRST_NAMES);
  const all = await modulesOf(build, folder, "export *");
  return [...new Set([...first, ...all.filter(isSingle)])].sort();
}

/** The names that a text uses of each shared module: `import__5.ZarrError`. */
function namesUsed(text) {
  const used = new Map();
  for (const [, variable, place] of text.matchAll(/\b(\w+) = require\("(\d+)"\)/g)) {
    const names = [...text.matchAll(new RegExp(`\\b${variable}\\.(\\w+)`, "g"))].map(([, name]) => name);
    used.set(Number(place), new Set([...(used.get(Number(place)) ?? []), ...names]));
  }
  return used;
}

/** The late code as text that uses `require` and `module`. */
async function lateText(build, folder, { shared, minify }) {
  const outside = {
    name: "modules that the late code gets",
    setup(plugin) {
      plugin.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const place = shared.indexOf(slashes(relative(folder, join(resolveDir, path))));
        return place < 0 ? undefined : { path: String(place), external: true };
      });
    },
  };
  const contents = LATE.map((name) => `export * as ${JSON.stringify(name)} from "./${name}";`).join("\n");
  const options = { stdin: { contents, resolveDir: folder }, format: "cjs", minifySyntax: minify };
  const { outputFiles } = await build(bundled(folder, { ...options, plugins: [outside, withoutLater] }));
  return outputFiles[0].text;
}

/**
 * The module that loads the late code. It imports names and no namespaces: those need a helper of
 * esbuild, which is a file of its own where several files use it.
 */
function loaderText(used, shared) {
  const modules = [...used].map(([place, names]) => [place, [...names].sort().join(", ")]);
  modules.sort(([one], [other]) => one - other);
  const imports = modules.map(([place, names]) => `import { ${names} } from "./${shared[place]}";`);
  const given = modules.map(([place, names]) => `    ${place}: { ${names} },`);
  return `${imports.join("\n")}
let loaded;
export async function late(name) {
  const { default: define } = await import("./late.js");
  loaded ??= define({
${given.join("\n")}
  });
  return loaded[name];
}
`;
}

const pathBetween = (from, to) => {
  const path = slashes(relative(dirname(from), to));
  return path.startsWith(".") ? path : `./${path}`;
};

/** Replaces `import()` of late modules in a module's text. */
function withLateImports(module, text) {
  const changed = text.replace(/\bimport\("(\.[^"]+)"\)/g, (all, path) => {
    const target = slashes(join(dirname(module), path));
    if (LATE.includes(target)) return `late(${JSON.stringify(target)})`;
    if (!ALONE.test(target)) throw new StepFailed(`${module} loads ${target}, which imports other modules`);
    return all;
  });
  const loader = JSON.stringify(pathBetween(module, "late_loader.js"));
  return changed === text || !changed.includes("late(")
    ? changed
    : `import { late } from ${loader};\n${changed}`;
}

/** Makes the engine of the caller's thread a module without imports. */
async function writeCaller(build, folder, { minify }) {
  const options = { entryPoints: [CALLER], outdir: folder, outbase: folder, minifySyntax: minify };
  const { outputFiles } = await build(bundled(folder, { ...options, plugins: [withoutLater] }));
  writeFileSync(join(folder, CALLER), outputFiles[0].text);
}

/** Removes the modules that no entry reaches. */
async function removeUnused(build, folder, files) {
  const entryPoints = files.filter((name) => name.startsWith("entry/"));
  const options = { entryPoints, outdir: folder, treeShaking: false };
  const { metafile } = await build(bundled(folder, options));
  for (const name of files) if (!(name in metafile.inputs)) rmSync(join(folder, name));
}

/** Publishes the late modules of a folder of published modules. */
export async function publishLateModules(build, folder, { minify }) {
  const shared = await sharedModules(build, folder);
  const text = await lateText(build, folder, { shared, minify });
  writeFileSync(
    join(folder, "late.js"),
    `export default function (shared) {
const require = (place) => shared[place];
const module = { exports: {} };
${text}
return module.exports;
}
`,
  );
  await writeCaller(build, folder, { minify });
  const files = readdirSync(folder, { recursive: true }).map((name) => slashes(String(name)));
  const modules = files.filter((name) => name.endsWith(".js") && name !== CALLER && name !== "late.js");
  for (const name of modules) {
    const path = join(folder, name);
    const before = readFileSync(path, "utf8");
    const after = withLateImports(name, before);
    if (after !== before) writeFileSync(path, after);
  }
  writeFileSync(join(folder, "late_loader.js"), loaderText(namesUsed(text), shared));
  await removeUnused(
    build,
    folder,
    files.filter((name) => name.endsWith(".js")),
  );
}
