/**
 * Builds what blocks run with: the frame, the modules that they import, and a program for each
 * block. The folder is `run/` of the site.
 */
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "../scripts/run_command.mjs";
import { importedNames, programName, runningBlocks } from "./blocks.mjs";
import { moduleFile, programOf } from "./run/program.mjs";

const HERE = join(ROOT, "site/run");
const fromRoot = createRequire(join(ROOT, "package.json"));
/** The pages: the frame of blocks, and the pictures that answer of the concepts. */
const PAGES = ["frame", "chunks", "life"];
const FILES = [...PAGES.map((page) => `${page}.html`), "picture.css", "service_worker.js"];
/** MapLibre starts this worker from beside its script. */
const MAPLIBRE_WORKER = ["maplibre-gl-worker.mjs", "maplibre-gl-shared.mjs"];

/** The address of a module, from a program in `run/programs` or `run/edited`. */
const resolve = (name) => `../modules/${moduleFile(name)}`;

/** The project's own name leads to its package, as for a user: `site/` is a package of its own. */
const ownPackage = {
  name: "own package",
  setup(build) {
    build.onResolve({ filter: /^zarr-wasm(\/|$)/ }, ({ path, kind, pluginData }) =>
      pluginData === "asked"
        ? undefined
        : build.resolve(path, { kind, resolveDir: ROOT, pluginData: "asked" }),
    );
  },
};

/** Modules of the old format whose names a program may import: esbuild gives them one, `default`. */
const COMMON_JS = new Set(["react", "react-dom", "react-dom/client"]);
/** Leaflet names the file of the old format alone in its manifest. */
const OTHER_FILES = { leaflet: "leaflet/dist/leaflet-src.esm.js" };

/** Gives modules of the old format their names. */
const namedExports = {
  name: "named exports",
  setup(build) {
    build.onResolve({ filter: /^names:/ }, ({ path }) => ({ path: path.slice(6), namespace: "names" }));
    build.onLoad({ filter: /.*/, namespace: "names" }, ({ path }) => {
      const names = Object.keys(fromRoot(path)).filter((name) => name !== "default");
      const module = JSON.stringify(path);
      const contents = `import all from ${module};\nexport default all;\nexport const { ${names.join(", ")} } = all;`;
      return { contents, resolveDir: ROOT };
    });
  },
};

const sourceOf = (name) => (COMMON_JS.has(name) ? `names:${name}` : (OTHER_FILES[name] ?? name));

const entryOf = (name) => ({ in: sourceOf(name), out: moduleFile(name).replace(/\.js$/, "") });

/** Builds modules by name, and the frame, so that both have one copy of the package. */
async function buildModules(names, folder) {
  const shared = {
    absWorkingDir: ROOT,
    plugins: [ownPackage, namedExports],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    define: { "process.env.NODE_ENV": '"production"' },
    loader: { ".svg": "dataurl", ".png": "dataurl", ".gif": "dataurl" },
    logLevel: "error",
  };
  const modules = join(folder, "modules");
  const entryPoints = [...new Set([...names, "zarr-wasm"])].map(entryOf);
  for (const page of PAGES) entryPoints.push({ in: join(HERE, `${page}.ts`), out: page });
  await build({ ...shared, entryPoints, outdir: modules, splitting: true });
  await build({ ...shared, entryPoints: [join(HERE, "worker.ts")], outdir: modules });
  await build({ ...shared, entryPoints: [join(HERE, "frame.css")], outdir: folder });
  for (const name of MAPLIBRE_WORKER)
    cpSync(join(ROOT, "node_modules/maplibre-gl/dist", name), join(modules, name));
}

/** Writes the programs of a page: one for each block, and their sources for editing. */
function writePrograms(page, blocks, folder) {
  const name = programName(page);
  const sources = blocks.map(({ code, group }) => ({ code, group }));
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(sources));
  for (const [at, { isHidden }] of blocks.entries()) {
    if (isHidden) continue;
    try {
      writeFileSync(join(folder, `${name}-${at}.js`), programOf(sources, at, resolve));
    } catch (error) {
      throw new Error(`${page}: a block that should run does not parse: ${error.message}`);
    }
  }
}

/** Builds `run/` of the site for the blocks of these pages. */
export async function buildPrograms(pages, folder) {
  const blocksByPage = pages.map((page) => [page, runningBlocks(page)]);
  mkdirSync(join(folder, "programs"), { recursive: true });
  for (const file of FILES) cpSync(join(HERE, file), join(folder, file));
  await buildModules(importedNames(blocksByPage.flatMap(([, blocks]) => blocks)), folder);
  for (const [page, blocks] of blocksByPage)
    if (blocks.length > 0) writePrograms(page, blocks, join(folder, "programs"));
}
