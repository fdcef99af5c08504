/**
 * Records finished builds in `target/finished`, so that a second `npm start` takes seconds. The key
 * of a build is a hash of its sources' contents. It does not include compilers, so `npm run build`
 * always builds.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ROOT } from "./run_command.mjs";

const record = (name) => join(ROOT, "target/finished", name);

/** The files below a path in a fixed order; the path itself if it is a file. */
function* filesOf(path) {
  const stat = statSync(resolve(ROOT, path), { throwIfNoEntry: false });
  if (stat?.isFile()) yield path;
  if (!stat?.isDirectory()) return;
  for (const name of readdirSync(resolve(ROOT, path)).sort()) yield* filesOf(`${path}/${name}`);
}

/** A hash of the files below `sources`, their names, and `words`. */
export function keyOf(sources, ...words) {
  const hash = createHash("sha256").update(JSON.stringify(words));
  for (const source of sources)
    for (const file of filesOf(source)) {
      const bytes = readFileSync(resolve(ROOT, file));
      hash.update(`\0${file}\0${bytes.length}\0`).update(bytes);
    }
  return hash.digest("hex");
}

/** The facts of the last finished build with this name; null if there is none. */
export function finished(name) {
  try {
    return JSON.parse(readFileSync(record(name), "utf8"));
  } catch {
    return null; // no record, or one of another format
  }
}

/** Removes the record before a build, because the build may fail. */
export const begin = (name) => rmSync(record(name), { force: true });

/** Writes the record after a build. `facts` has its key and its options. */
export function finish(name, facts) {
  mkdirSync(join(ROOT, "target/finished"), { recursive: true });
  writeFileSync(record(name), JSON.stringify(facts));
}
