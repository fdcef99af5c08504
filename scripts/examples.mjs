/**
 * Builds the example pages (www/examples). The pages are served as they are. What they import by
 * name through their import maps, this package and libraries, becomes modules in
 * `examples/modules`, so that the pages need no network.
 */
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./run_command.mjs";

const EXAMPLES = join(ROOT, "www/examples");

/** Modules and style sheets are at `./modules/<what is imported>`. Modules end in `.js` there. */
const MODULE = /"(([\w@./-]+?)(?:\.m?js)?)": "\.\/modules\/\2\.js"/g;
const STYLE_SHEET = /href="\.\/modules\/([\w@./-]+\.css)"/g;

const namesIn = (text, pattern) => [...text.matchAll(pattern)].map(([, name]) => name);

/** What the pages import by name, each name once. */
function importedNames() {
  const pages = readdirSync(EXAMPLES).filter((name) => name.endsWith(".html"));
  const names = pages.flatMap((page) => {
    const text = readFileSync(join(EXAMPLES, page), "utf8");
    return [...namesIn(text, MODULE), ...namesIn(text, STYLE_SHEET)];
  });
  return [...new Set(names)];
}

/** The output file of a name, without its ending, which esbuild adds. */
const entryOf = (name) => ({ in: name, out: name.replace(/\.(m?js|css)$/, "") });

/** The options with which esbuild makes the modules in a folder. */
const moduleOptions = (folder) => ({
  absWorkingDir: ROOT,
  entryPoints: importedNames().map(entryOf),
  outdir: folder,
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  target: "es2022",
  define: { "process.env.NODE_ENV": '"production"' },
  loader: { ".svg": "dataurl", ".png": "dataurl" },
  logLevel: "error",
});

/** Writes the pages and the modules that they import to a folder. */
export async function buildExamples(folder) {
  const { build } = await import("esbuild");
  rmSync(folder, { recursive: true, force: true });
  cpSync(EXAMPLES, folder, { recursive: true });
  await build(moduleOptions(join(folder, "modules")));
}

/** Makes the modules in a folder, and again when what they are made of changes. */
export async function watchModules(folder) {
  const { context } = await import("esbuild");
  await (await context(moduleOptions(folder))).watch();
}
