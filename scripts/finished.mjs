/**
 * What was built already: a key over the sources of a build, kept beside it once the build is done,
 * so that a second `npm start` takes seconds. Keys are made of contents, not of times. What a build
 * needs beside the sources (compilers) is not in them: `npm run build` always builds.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./run_command.mjs";

const record = (name) => join(ROOT, "target/finished", name);

/** The files below a path in a fixed order; the path itself where it is a file. */
function* filesOf(path) {
  const stat = statSync(join(ROOT, path), { throwIfNoEntry: false });
  if (stat?.isFile()) yield path;
  if (!stat?.isDirectory()) return;
  for (const name of readdirSync(join(ROOT, path)).sort()) yield* filesOf(`${path}/${name}`);
}

/** Changes with any byte below `sources`, with their names, and with `words`. */
export function keyOf(sources, ...words) {
  const hash = createHash("sha256").update(JSON.stringify(words));
  for (const source of sources)
    for (const file of filesOf(source)) {
      const bytes = readFileSync(join(ROOT, file));
      hash.update(`\0${file}\0${bytes.length}\0`).update(bytes);
    }
  return hash.digest("hex");
}

/**
 * What was kept of the last build of that name; null where there is none, or where it did not end.
 */
export function finished(name) {
  try {
    return JSON.parse(readFileSync(record(name), "utf8"));
  } catch {
    return null; // never built, or not by this version
  }
}

/** Before a build begins: what it leaves when it fails is not finished. */
export const begin = (name) => rmSync(record(name), { force: true });

/** After a build: `facts` has its key, and what else the next one asks about. */
export function finish(name, facts) {
  mkdirSync(join(ROOT, "target/finished"), { recursive: true });
  writeFileSync(record(name), JSON.stringify(facts));
}
