/**
 * The download sizes of the release build, gzipped, from sizes.json: each file as the package has
 * it. Nothing is timed.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/run_command.mjs";

const LEDGER = join(ROOT, "sizes.json");
/** `FetchStore`, `open` and `get` of zarrita 0.7.5 with blosc and zstd, measured in 2026. */
const ZARRITA_KB = 460;

/** The rows, and the files of sizes.json that each adds up. */
const ROWS = {
  "facade of open, get and slice": ["open, get, slice"],
  "engine's wasm": ["zarr_wasm.wasm"],
  "programs of the workers": ["modules/engine-programs.js"],
  "reading build": ["modules/reading-wasm.js"],
  "full build": ["modules/full-wasm.js"],
  "images build": ["modules/images-wasm.js"],
  "GRIB build": ["modules/grib-wasm.js"],
  "conventions build": ["modules/conventions-wasm.js"],
};
const FIRST_READ = ["open, get, slice", "modules/engine-texts.js"];

export async function* measure() {
  if (!existsSync(LEDGER)) return;
  const sizes = JSON.parse(readFileSync(LEDGER, "utf8")).files;
  const kilobytes = (files) => files.reduce((sum, file) => sum + sizes[file].gz, 0) / 1e3;
  for (const [row, files] of Object.entries(ROWS))
    yield { row, unit: "kB", figures: { ours: kilobytes(files) } };
  yield {
    row: "all that a first read downloads",
    unit: "kB",
    figures: { ours: kilobytes(FIRST_READ), zarrita: ZARRITA_KB },
  };
}
