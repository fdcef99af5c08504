/**
 * Builds the wasm and its JavaScript glue: cargo, then xtask (wasm-bindgen), then wasm-opt. The
 * variants share a cargo target folder and thereby their dependencies. Those of the engine have the
 * same file name there, so each file is copied away before the next build. The result is
 * `target/glue/<variant>/` with zarr_wasm.js, zarr_wasm.d.ts and zarr_wasm.wasm. Of all builds but
 * the engine there is zarr_wasm.zst too: the module as the package has it (`packedWasm`).
 */
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { ROOT, run, say } from "./run_command.mjs";
import { roomsOf, withoutExports, withoutNames } from "./wasm_sections.mjs";

/** Each is a crate with features. `bare`: it exports plain functions of numbers, so it has no glue. */
export const VARIANTS = [
  { name: "engine", crate: "engine", features: [], what: "planning, metadata and the common decoders" },
  { name: "full", crate: "engine", features: ["full"], what: "the engine, encoders and rare codecs" },
  { name: "images", crate: "engine", features: ["images"], what: "the engine and decoders of images" },
  { name: "conventions", crate: "conventions", features: [], bare: true, what: "what attributes mean" },
];

/** What cargo is told to build, check or list a variant. */
export const cargoWords = ({ crate, features }) => [
  ...["--package", `zarr-wasm-${crate}`, "--target", "wasm32-unknown-unknown"],
  ...["--no-default-features", "--features", features.join(",")],
];

/** The wasm features that rustc and clang use. binaryen rejects those that are not listed. */
const WASM_OPT_FLAGS = [
  "-O3",
  // rustc has inlined what is useful; much more makes the module a twelfth larger on the wire. The
  // smallest functions are inlined nevertheless, which costs one per cent: browsers compile each
  // function at its first call, and a page's first tile waits for all of them.
  "--always-inline-max-function-size=6",
  "--flexible-inline-max-function-size=0",
  "--one-caller-inline-max-function-size=50",
  // Sort functions by name, so that instances of a generic function are adjacent. gzip only finds
  // repetitions within 32 KiB; this saves three per cent.
  "--reorder-functions-by-name",
  ...[
    "simd",
    "bulk-memory",
    "bulk-memory-opt",
    "sign-ext",
    "mutable-globals",
    "nontrapping-float-to-int",
    "reference-types",
    "multivalue",
  ].map((feature) => `--enable-${feature}`),
];

/** C functions that only zstd calls. It sorts only for dictionaries, which are not made here. */
const UNUSED_EXPORTS = /^rust_zstd_wasm_shim_/;

/** The build that every page has loaded, and that the others are compressed with. */
const PREFIX = "engine";

export const glueFolder = (variant) => join(ROOT, "target/glue", variant);
const cargoTarget = () => resolve(ROOT, process.env.CARGO_TARGET_DIR ?? "target");

/** The environment of a cargo call that compiles C to wasm. */
export const wasmEnvironment = (clang) => ({ CC_wasm32_unknown_unknown: clang });

async function compile(variant, profile, clang) {
  const targetFolder = join(cargoTarget(), "wasm");
  await run(
    `cargo: ${variant.name} (${variant.what}), profile ${profile}`,
    "cargo",
    ["build", "--locked", "--lib", "--profile", profile, "--target-dir", targetFolder, ...cargoWords(variant)],
    { env: wasmEnvironment(clang) },
  );
  return join(targetFolder, "wasm32-unknown-unknown", profile, `zarr_wasm_${variant.crate}.wasm`);
}

/**
 * A key that changes whenever the glue or its module may change: with the compiled code, the
 * profile, the generator and these steps.
 */
function glueKey(wasm, profile) {
  const hash = createHash("sha256").update(profile);
  const makers = ["xtask/Cargo.toml", "xtask/src/glue.rs", "scripts/wasm.mjs", "scripts/wasm_sections.mjs"];
  for (const file of [wasm, ...makers.map((maker) => join(ROOT, maker))]) hash.update(readFileSync(file));
  return hash.digest("hex");
}

/** The path of the xtask program, which is built if necessary. */
export async function buildXtask() {
  await run("cargo: xtask, the generator of the wasm glue", "cargo", [
    "build",
    "--locked",
    "--package",
    "xtask",
  ]);
  return join(cargoTarget(), "debug", process.platform === "win32" ? "xtask.exe" : "xtask");
}

/**
 * Optimises the module if binaryen is installed. The code sizes by room are measured before
 * function names are removed.
 */
async function optimise(input, output) {
  const wasmOpt = join(ROOT, "node_modules/binaryen/bin/wasm-opt");
  if (!existsSync(wasmOpt)) {
    say("  (npm's binaryen is not installed: wasm-opt is skipped)");
    copyFileSync(input, output);
    return;
  }
  const [lean, named] = [`${output}.lean`, `${output}.named`];
  writeFileSync(lean, withoutExports(readFileSync(input), UNUSED_EXPORTS));
  await run("wasm-opt", process.execPath, [wasmOpt, lean, "-g", "-o", named, ...WASM_OPT_FLAGS]);
  const module = readFileSync(named);
  writeFileSync(join(output, "../rooms.json"), JSON.stringify(roomsOf(module)));
  writeFileSync(output, withoutNames(module));
}

/**
 * Makes the glue refuse what is no text where wasm needs one. wasm-bindgen checks it in debug
 * builds alone: another value with a length would be written beyond the memory that it was given.
 */
function checkTexts(file) {
  const HEAD = "function passStringToWasm0(arg, malloc, realloc) {\n";
  const glue = readFileSync(file, "utf8");
  if (!glue.includes(HEAD)) throw new Error(`${file} has no function that passes texts`);
  const check = "    if (typeof arg !== 'string') throw new TypeError('not a text: ' + typeof arg);\n";
  writeFileSync(file, glue.replace(HEAD, HEAD + check));
}

/** Makes the glue of a module. Resolves to the path of the matching module. */
async function writeGlue(variant, wasm) {
  const folder = glueFolder(variant.name);
  const xtask = await buildXtask();
  await run(`xtask: the glue of ${variant.name}`, xtask, ["glue", wasm, folder, "--names"]);
  checkTexts(join(folder, "zarr_wasm.js"));
  return join(folder, "zarr_wasm_bg.wasm");
}

/**
 * Builds one variant. `quick` omits link-time optimisation and wasm-opt, and keeps function names.
 * Resolves to the module's path.
 */
export async function buildWasm(variant, { quick, clang }) {
  const profile = quick ? "quick" : "release";
  const wasm = await compile(variant, profile, clang);
  const folder = glueFolder(variant.name);
  const finished = join(folder, "zarr_wasm.wasm");
  const keyFile = join(folder, "key");
  const key = glueKey(wasm, profile);
  if (existsSync(finished) && existsSync(keyFile) && readFileSync(keyFile, "utf8") === key) return finished;
  mkdirSync(folder, { recursive: true });
  const raw = variant.bare ? wasm : await writeGlue(variant, wasm);
  if (quick) copyFileSync(raw, finished);
  else await optimise(raw, finished);
  writeFileSync(keyFile, key);
  say(`  ${variant.name}: ${(statSync(finished).size / 1024).toFixed(0)} KiB of wasm`);
  return finished;
}

/** A build's Zstandard frame is made again if its module or the engine's has changed. */
function packedKey(modules) {
  const hash = createHash("sha256");
  for (const file of [...modules, join(ROOT, "xtask/src/pack.rs")]) hash.update(readFileSync(file));
  return hash.digest("hex");
}

/**
 * Compresses the module of a build to a Zstandard frame, with the engine's module as prefix: a page
 * has loaded the engine before it needs another build, and the builds share most of their code. For
 * `quick` a larger frame will do. Resolves to the frame's path.
 */
export async function packedWasm(name, { quick }) {
  const folder = glueFolder(name);
  const [module, prefix] = [name, PREFIX].map((build) => join(glueFolder(build), "zarr_wasm.wasm"));
  const [packed, keyFile] = [join(folder, "zarr_wasm.zst"), join(folder, "packed_key")];
  const key = packedKey([module, prefix]);
  const known = existsSync(keyFile) ? readFileSync(keyFile, "utf8") : "";
  if (known === `${key} best` || (quick && known === `${key} quick`)) return packed;
  const xtask = await buildXtask();
  // Tests in several processes may do this at once.
  const unfinished = `${packed}.${process.pid}`;
  const level = quick ? ["--quick"] : [];
  await run(`xtask: ${name}, compressed`, xtask, ["pack", module, prefix, unfinished, ...level]);
  renameSync(unfinished, packed);
  writeFileSync(keyFile, `${key} ${quick ? "quick" : "best"}`);
  return packed;
}
