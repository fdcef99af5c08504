/**
 * Makes `dist/types/`: tsc's declarations of `src`, in a form that users' compilers from
 * TypeScript 4.9 on read. It does not check the types: `tests/types.mjs` and the lane `consumers`
 * do that.
 */
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { DIST, ENTRIES, ENTRY, SOURCES } from "./bundles.mjs";
import { ROOT, run } from "./run_command.mjs";

const TYPES = join(DIST, "types");

/** Declares the browser types that Node's types lack, for users without `lib.dom`. */
const HOST = "package/host.d.ts";

/** Where the declarations of the entries are. */
const ENTRY_TYPES = relative(SOURCES, ENTRY);

/**
 * Writes a declaration in the syntax of TypeScript 4.9.
 *
 * - Typed arrays are generic since TypeScript 5.7. `of` returns the array with memory of its own in
 *   every version.
 * - `export type *` came with TypeScript 5.0. A declaration without values needs no `type`.
 * - tsc rewrites imports of `.ts` in JavaScript, and leaves those in declarations.
 */
const inOldSyntax = (text) =>
  text
    .replace(/\b(\w+Array)<ArrayBuffer>/g, 'ReturnType<$1Constructor["of"]>')
    .replace(/\b((?:Int|Uint|Float|BigInt|BigUint)\w+Array)<[^<>]+>/g, "$1")
    .replace(/^export type \* from/gm, "export * from")
    .replace(/"(\.[^"]+)\.ts"/g, '"$1.js"');

/** The declarations that the entries import. The others describe what no user meets. */
function reachable() {
  const found = new Set([HOST]);
  const follow = (name) => {
    if (found.has(name)) return;
    found.add(name);
    for (const [, path] of readFileSync(join(TYPES, name), "utf8").matchAll(/"(\.[^"]+)\.js"/g))
      follow(join(dirname(name), `${path}.d.ts`));
  };
  for (const entry of ENTRIES) follow(join(ENTRY_TYPES, `${entry}.d.ts`));
  return found;
}

/** Compiles the declarations and rewrites them for users. */
export async function publishDeclarations() {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  await run("tsc: declarations", process.execPath, [tsc, "--project", "tsconfig.build.json"]);
  copyFileSync(join(SOURCES, HOST), join(TYPES, HOST));
  const names = readdirSync(TYPES, { recursive: true }).filter((name) => name.endsWith(".d.ts"));
  for (const name of names) {
    const text = inOldSyntax(readFileSync(join(TYPES, name), "utf8"));
    const isEntry = dirname(name) === ENTRY_TYPES;
    writeFileSync(join(TYPES, name), isEntry ? `/// <reference path="../host.d.ts" />\n${text}` : text);
  }
  const needed = reachable();
  for (const name of names) if (!needed.has(name)) rmSync(join(TYPES, name));
}
