/**
 * The lane `miri`: the tests of the kernels with unsafe code, in the interpreter Miri, which finds
 * undefined behaviour. Zstandard is C, which Miri cannot run; the fuzz targets run it with
 * AddressSanitizer. The other kernels have no unsafe code of their own. It installs Miri for the
 * nightly toolchain.
 */
import { ask, run } from "../scripts/run_command.mjs";

/**
 * Modules with unsafe code, and those that use `vector.rs` and `copy.rs`. `wasm_module` is that of
 * the contract.
 */
const MODULES = [
  ...["bitshuffle", "copy", "fill", "interleave", "lz4", "scatter", "shuffle", "vector"],
  "wasm_module",
];

const TEST = [
  ...["+nightly", "miri", "test", "--locked", "--package", "zarr-wasm-kernel"],
  ...["--package", "zarr-wasm-contract"],
  ...["--target-dir", "target/miri"],
];
if (ask("cargo", ["+nightly", "miri", "--version"]) === undefined) {
  await run("rustup: the nightly toolchain with Miri (once)", "rustup", [
    ...["toolchain", "install", "nightly", "--profile", "minimal"],
    ...["--component", "miri", "--component", "rust-src"],
  ]);
}
const names = MODULES.map((name) => `${name}::`);
// Property tests try hundreds of inputs each; the others try the same code.
const words = [...TEST, "--", ...names, "--skip", "properties", "--test-threads", "2"];
// Miri hides the machine by default; property tests read the folder that they run in.
const env = { MIRIFLAGS: "-Zmiri-disable-isolation" };
await run("cargo: the kernels' tests in Miri", "cargo", words, { env, verbose: true });
