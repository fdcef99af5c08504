/**
 * Builds the wasm and its JavaScript glue: cargo, then xtask (wasm-bindgen), then wasm-opt. The
 * variants share a cargo target folder and thereby their dependencies. Those of the engine have the
 * same file name there, so each file is copied away before the next build. The result is
 * `target/glue/<variant>/` with zarr_wasm.js, zarr_wasm.d.ts and zarr_wasm.wasm, and a Zstandard
 * frame of all builds but the engine: the module as the package has it (`packedWasm`).
 */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { deflateRawSync } from "node:zlib";
import { keyOf } from "./finished.mjs";
import { ROOT, run, StepFailed, say } from "./run_command.mjs";

/** The Rust that the glue is made of. */
export const GLUE_SOURCES = join(ROOT, "src/engine/rust/js");

/** The table of the contract, as `npm run contract` writes it. */
const BUILDS = JSON.parse(readFileSync(join(ROOT, "scripts/builds.json"), "utf8"));

/** The build that every page has loaded, and that the others are compressed with. */
const PREFIX = "engine";

/** The builds that a page's first picture needs. */
const FIRST = [PREFIX, "conventions"];

/**
 * The wasm builds: each is a crate with features. `serves` is what it is for. `bare`: it exports
 * plain functions of numbers, so it has no glue. `operates`: its glue is linked in pages.
 */
export const VARIANTS = BUILDS.map(({ hasEngine, ...build }) => ({
  ...build,
  crate: hasEngine ? PREFIX : build.name,
  features: hasEngine && build.name !== PREFIX ? [build.name] : [],
  bare: !hasEngine,
  isFirst: FIRST.includes(build.name),
}));

/**
 * The light build. The engine does not load it, so it is not in the table of the engine's builds
 * and shares nothing with them.
 */
export const LIGHT = {
  name: "light",
  serves: "small reads on the caller's thread",
  crate: "light",
  features: [],
  bare: true,
  isFirst: true,
};

/** The wasm features that rustc and clang use. binaryen rejects those that are not listed. */
const WASM_OPT_FLAGS = [
  // C functions that only zstd calls. It sorts only for dictionaries, which are not made here.
  "--remove-exports=rust_zstd_wasm_shim_*",
  "-O3",
  // rustc has inlined what is useful; more of it makes the module larger on the wire.
  "--always-inline-max-function-size=2",
  "--flexible-inline-max-function-size=0",
  "--one-caller-inline-max-function-size=0",
  // Sort functions by name. The engine's are then arranged by what they share, the other builds' as
  // the engine's.
  "--reorder-functions-by-name",
  "--strip-producers",
  "--strip-target-features",
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

export const glueFolder = (variant) => join(ROOT, "target/glue", variant);

/** The finished module of a build. */
export const moduleOf = (variant) => join(glueFolder(variant), "zarr_wasm.wasm");

const cargoTarget = () => resolve(ROOT, process.env.CARGO_TARGET_DIR ?? "target");

/** The environment of a cargo call that compiles C to wasm. */
export const wasmEnvironment = (clang) => ({ CC_wasm32_unknown_unknown: clang });

export const WASM_TARGET = "wasm32-unknown-unknown";

/** The package that cargo builds a variant of. */
export const packageOf = ({ crate }) => `zarr-wasm-${crate}`;

/** The arguments of cargo that name the packages of all variants. */
export const PACKAGES = [...new Set([...VARIANTS, LIGHT].map(packageOf))].flatMap((name) => [
  "--package",
  name,
]);

const WARNED = /^warning: .+ generated \d+ warnings?/m;

/**
 * Arguments of cargo that give the folders of this machine other names. Panics have the paths of
 * their source files, and a published module would tell where it was made. C files leave no paths.
 * cargo joins the list with that of `.cargo/config.toml`. Quick builds are not published and go
 * without.
 */
export function withoutPaths(profile) {
  if (profile !== "release") return [];
  const sysroot = spawnSync("rustc", ["--print", "sysroot"], { cwd: ROOT, encoding: "utf8" }).stdout?.trim();
  const folders = [
    [process.env.CARGO_HOME || join(homedir(), ".cargo"), "/cargo"],
    [sysroot, "/rust"],
    [ROOT, "/zarr-wasm"],
  ];
  const flags = folders
    .filter(([folder]) => folder)
    .map(([folder, name]) => `--remap-path-prefix=${folder.replace(/[\\/]$/, "")}=${name}`);
  // JSON's lists of texts are TOML's.
  return ["--config", `target.wasm32-unknown-unknown.rustflags=${JSON.stringify(flags)}`];
}

/** Resolves to the path of the compiled module. */
async function compile(variant, profile, clang) {
  const folder = join(cargoTarget(), "wasm");
  const args = [
    ...["build", "--locked", "--lib", "--package", packageOf(variant), "--target", WASM_TARGET],
    ...["--no-default-features", "--features", variant.features.join(",")],
    ...["--profile", profile, "--target-dir", folder, ...withoutPaths(profile)],
  ];
  const title = `cargo: ${variant.name} (${variant.serves}), profile ${profile}`;
  const output = await run(title, "cargo", args, { env: wasmEnvironment(clang) });
  // Code that one build uses may be dead in another, which clippy does not see.
  if (process.env.CI && WARNED.test(output)) throw new StepFailed(`${title}: warnings\n${output}`);
  return join(folder, WASM_TARGET, profile, `zarr_wasm_${variant.crate}.wasm`);
}

/** The path of the xtask program, which is built if necessary. */
export async function buildXtask() {
  const args = ["build", "--locked", "--package", "xtask", "--profile", "tools"];
  await run("cargo: xtask, the generator of the wasm glue", "cargo", args);
  return join(cargoTarget(), "tools", process.platform === "win32" ? "xtask.exe" : "xtask");
}

/** Optimises a module if binaryen is installed. Drops function names, unless `more` keeps them. */
export async function optimise(input, output, more = []) {
  const wasmOpt = join(ROOT, "node_modules/binaryen/bin/wasm-opt");
  if (existsSync(wasmOpt))
    return run("wasm-opt", process.execPath, [wasmOpt, input, "-o", output, ...WASM_OPT_FLAGS, ...more]);
  say("  (npm's binaryen is not installed: wasm-opt is skipped)");
  return copyFileSync(input, output);
}

/** Makes the glue of a module. Resolves to the path of the matching module. */
async function writeGlue(variant, wasm) {
  const folder = glueFolder(variant.name);
  const xtask = await buildXtask();
  await run(`xtask: the glue of ${variant.name}`, xtask, ["glue", wasm, folder, "--names"]);
  return join(folder, "zarr_wasm_bg.wasm");
}

/**
 * Makes a file unless it was made of these files and words. `key` hashes contents, because cargo
 * overwrites the module of one variant with that of the next.
 */
async function unlessCurrent(output, { of, words }, make) {
  const keyFile = `${output}.key`;
  const key = keyOf(of, ...words);
  const known = existsSync(output) && existsSync(keyFile) ? readFileSync(keyFile, "utf8") : "";
  if (known === key) return output;
  rmSync(keyFile, { force: true });
  await make();
  writeFileSync(keyFile, key);
  return output;
}

/**
 * Gives the engine's functions the order in which they compress best, and functions of another
 * build that the engine has, too, their place and number in the engine.
 */
async function order({ name }, module) {
  if (name === LIGHT.name) return;
  const xtask = await buildXtask();
  if (name === PREFIX) return run(`xtask: ${name}, in the best order`, xtask, ["arrange", module, module]);
  return run(`xtask: ${name}, in the engine's order`, xtask, ["align", module, moduleOf(PREFIX), module]);
}

/**
 * Builds one variant. `quick` omits link-time optimisation and wasm-opt, and keeps function names.
 * All but the engine need the engine's module, unless `quick`. Resolves to the module's path.
 */
export async function buildWasm(variant, { quick, clang }) {
  const profile = quick ? "quick" : "release";
  const wasm = await compile(variant, profile, clang);
  const module = moduleOf(variant.name);
  const steps = ["align", "arrange", "glue", "order", "unreached"].map((step) => `xtask/src/${step}.rs`);
  const of = [wasm, "xtask/Cargo.toml", ...steps, "scripts/wasm.mjs"];
  if (!quick && ![PREFIX, LIGHT.name].includes(variant.name)) of.push(moduleOf(PREFIX));
  return unlessCurrent(module, { of, words: [profile] }, async () => {
    mkdirSync(glueFolder(variant.name), { recursive: true });
    const raw = variant.bare ? wasm : await writeGlue(variant, wasm);
    await (quick ? copyFileSync(raw, module) : optimise(raw, module));
    if (!quick) await order(variant, module);
    say(`  ${variant.name}: ${(statSync(module).size / 1024).toFixed(0)} KiB of wasm`);
  });
}

/**
 * Compresses a module as DEFLATE: slowly and to the smallest stream, unless `quick`. Resolves to
 * the stream.
 */
export async function deflated(name, { quick }) {
  const module = moduleOf(name);
  if (quick) return deflateRawSync(readFileSync(module), { level: 1 });
  const stream = join(glueFolder(name), "zarr_wasm.deflate");
  await unlessCurrent(stream, { of: [module, "xtask/src/deflate.rs"], words: [] }, async () => {
    await run(`xtask: ${name}, compressed`, await buildXtask(), ["deflate", module, stream]);
  });
  return readFileSync(stream);
}

/**
 * Compresses the module of a build to a Zstandard frame, with the engine's module as prefix: a page
 * has loaded the engine before it needs another build, and the builds share most of their code. For
 * `quick` a larger frame will do. Resolves to the frame's path.
 */
export async function packedWasm(name, { quick }) {
  const frame = join(glueFolder(name), `zarr_wasm.${quick ? "quick" : "best"}.zst`);
  const [module, prefix] = [moduleOf(name), moduleOf(PREFIX)];
  const of = [module, prefix, "xtask/src/pack.rs"];
  return unlessCurrent(frame, { of, words: [] }, async () => {
    const xtask = await buildXtask();
    // Tests in several processes may do this at once.
    const unfinished = `${frame}.${process.pid}`;
    const level = quick ? ["--quick"] : [];
    await run(`xtask: ${name}, compressed`, xtask, ["pack", module, prefix, unfinished, ...level]);
    renameSync(unfinished, frame);
  });
}
