/**
 * Makes `dist/types/`: tsc's declarations of `src/ts`, in a form that users' compilers from
 * TypeScript 4.9 on read. It does not check the types: `tests/types.mjs` and the lane `consumers`
 * do that.
 */
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { ROOT, run } from "./run_command.mjs";
import { glueFolder } from "./wasm.mjs";

/** The alias of the glue in declarations, and its build. Aliases exist only in this repository. */
const GLUES = [
  { alias: "#glue", variant: "engine", copy: "glue.d.ts" },
  { alias: "#full-glue", variant: "full", copy: "full_glue.d.ts" },
];

const HOST = "host.d.ts";

const SPECIFIER = /(\bfrom |\bimport\(|\bimport )"(\.[^"]+)"/g;

const slashes = (path) => path.split(sep).join("/");

const declarationsIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => slashes(String(name)))
    .filter((name) => name.endsWith(".d.ts"));

/**
 * The declarations of a build in publishable form: names of `lib.dom` that cannot be declared twice
 * are replaced by their definitions.
 */
function glueTypes(variant) {
  const glue = readFileSync(join(glueFolder(variant), "zarr_wasm.d.ts"), "utf8");
  return glue
    .replace(/\bRequestInfo\b/g, "string | Request")
    .replace(/\bBufferSource\b/g, "ArrayBuffer | ArrayBufferView");
}

/**
 * Writes a declaration in the syntax of TypeScript 4.9.
 *
 * - Typed arrays are generic since TypeScript 5.7. `of` returns the array with memory of its own in
 *   every version.
 * - `export type *` came with TypeScript 5.0. A declaration without values needs no `type`.
 * - The files beside a declaration are `.d.ts`, which users import as `.js`.
 */
const inOldSyntax = (text) =>
  text
    .replace(/\b(\w+Array)<ArrayBuffer>/g, 'ReturnType<$1Constructor["of"]>')
    .replace(/\b((?:Int|Uint|Float|BigInt|BigUint)\w+Array)<[^<>]+>/g, "$1")
    .replace(/^export type \* from/gm, "export * from")
    .replace(SPECIFIER, (_, before, path) => `${before}"${path.replace(/\.ts$/, ".js")}"`);

/** Replaces the aliases of the glue by the copy beside the declarations. */
function withGlue(name, text) {
  return GLUES.reduce((placing, { alias, copy }) => {
    const place = slashes(relative(dirname(name), copy)).replace(/\.d\.ts$/, ".js");
    return placing.replaceAll(`"${alias}"`, `"${place.startsWith(".") ? place : `./${place}`}"`);
  }, text);
}

/**
 * The declarations that the entries need. The others describe the engine, whose types no user
 * meets.
 */
function reachable(folder) {
  const found = new Set([HOST]);
  const follow = (name) => {
    if (found.has(name)) return;
    found.add(name);
    for (const [, , path] of readFileSync(join(folder, name), "utf8").matchAll(SPECIFIER)) {
      follow(slashes(join(dirname(name), path.replace(/\.js$/, ".d.ts"))));
    }
  };
  for (const name of readdirSync(join(folder, "entry")).filter((file) => file.endsWith(".d.ts"))) {
    follow(`entry/${name}`);
  }
  return found;
}

/** Compiles the declarations into a folder and rewrites them for users. */
export async function publishDeclarations(folder) {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  await run("tsc: declarations", process.execPath, [tsc, "--project", "tsconfig.build.json"]);
  for (const { variant, copy } of GLUES) writeFileSync(join(folder, copy), glueTypes(variant));
  copyFileSync(join(ROOT, "src/ts", HOST), join(folder, HOST));
  for (const name of declarationsIn(folder)) {
    const path = join(folder, name);
    const text = inOldSyntax(withGlue(name, readFileSync(path, "utf8")));
    // Users who compile without `lib.dom` need the browser types that the declarations use.
    const isEntry = dirname(name) === "entry";
    writeFileSync(path, isEntry ? `/// <reference path="../${HOST}" />\n${text}` : text);
  }
  const needed = reachable(folder);
  for (const name of declarationsIn(folder)) if (!needed.has(name)) rmSync(join(folder, name));
}
