/**
 * Writes the benchmark's arrays with data/make.py, and loads them as maps from store keys to bytes.
 * They stay in target/ until that program or its environment changes.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { ask, ROOT, run, StepFailed } from "../../scripts/run_command.mjs";
import { tiled } from "./tiled.mjs";

export const DATA = join(ROOT, "target/bench/data");
const MAKER = join(ROOT, "benches/data/make.py");
const FIXTURES = join(ROOT, "tests/fixtures/make");

/** The Python interpreter that writes the data and decodes natively. */
export function interpreter() {
  const path = ask("bash", [join(FIXTURES, "make.sh"), "interpreter", "zarr-python-3"]);
  if (!path) throw new StepFailed("the environment of zarr-python cannot be made: see tests/fixtures/make");
  return path;
}

/** Writes the data unless it is up to date. */
export async function ensureData(python) {
  const hash = createHash("sha256");
  for (const file of [MAKER, join(FIXTURES, "requirements-zarr-python-3.txt")])
    hash.update(readFileSync(file));
  const key = hash.digest("hex");
  const keyFile = join(DATA, ".made-by");
  if (existsSync(keyFile) && readFileSync(keyFile, "utf8") === key) return;
  await run("zarr-python: the data", python, ["-W", "ignore", MAKER, DATA]);
  writeFileSync(keyFile, key);
}

/**
 * All values of a store by key. `tile@1024` is the array `tile` with so many steps, of which
 * `tiled.mjs` makes the values.
 */
export function load(name) {
  const [stored, steps] = name.split("@");
  return steps === undefined ? valuesIn(stored) : tiled(valuesIn(stored), Number(steps));
}

function valuesIn(name) {
  const folder = join(DATA, name);
  const files = readdirSync(folder, { recursive: true }).map(String);
  const isFile = (file) => statSync(join(folder, file)).isFile();
  return new Map(
    files
      .filter(isFile)
      .map((file) => [`/${file.split(sep).join("/")}`, Uint8Array.from(readFileSync(join(folder, file)))]),
  );
}
