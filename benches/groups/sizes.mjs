/** The download sizes of the release build, from sizes.json. Nothing is timed. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/run_command.mjs";

const LEDGER = join(ROOT, "sizes.json");
/** `FetchStore`, `open` and `get` of zarrita 0.7.5 with blosc and zstd, measured in 2026. */
const ZARRITA_KB = 460;

export async function* measure() {
  if (!existsSync(LEDGER)) return;
  const sizes = JSON.parse(readFileSync(LEDGER, "utf8"));
  const kilobytes = (file) => sizes[file].gz / 1e3;
  yield { row: "engine's wasm, gzip", unit: "kB", figures: { ours: kilobytes("zarr_wasm.wasm") } };
  yield {
    row: "zarr-wasm, all that reading needs, gzip",
    unit: "kB",
    figures: { ours: kilobytes("index.js"), zarrita: ZARRITA_KB },
  };
  yield { row: "full wasm, gzip", unit: "kB", figures: { ours: kilobytes("zarr_wasm_full.wasm") } };
}
