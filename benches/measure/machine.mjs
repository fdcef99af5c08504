/** Describes the machine, the versions and the date of a measurement. */
import { readFileSync } from "node:fs";
import { cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { ask, ROOT } from "../../scripts/run_command.mjs";

/** With a higher load, other programs disturb the measurement. */
export const QUIET_LOAD = 1;

const version = (name) =>
  JSON.parse(readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8")).version;

/** Quick builds keep the names of functions. */
function isReleaseBuild() {
  const module = new WebAssembly.Module(readFileSync(join(ROOT, "dist/zarr_wasm.wasm")));
  return WebAssembly.Module.customSections(module, "name").length === 0;
}

/** `load` was measured before the benchmark started. */
export function describeMachine({ chromium, load }) {
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: ask("git", ["describe", "--always", "--dirty"]) ?? "unknown",
    processor: `${cpus().length} × ${cpus()[0]?.model.trim() || "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${type()} ${release()}`,
    node: process.version,
    chromium,
    zarrita: version("zarrita"),
    numcodecs: version("numcodecs"),
    build: isReleaseBuild() ? "release" : "quick",
    load,
  };
}
