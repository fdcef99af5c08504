/**
 * `npm run fuzz`: builds the fuzz targets and runs each for some seconds, starting from seeds and
 * from the inputs that earlier runs kept in `target/fuzz/corpus`. Inputs that fail go to
 * `target/fuzz/finds`.
 *
 *   npm run fuzz                          each target for 10 seconds
 *   npm run fuzz -- shards archives       these targets
 *   npm run fuzz -- --seconds 1800        so long each
 *   npm run fuzz -- --codecs              `decoders`, codec by codec
 *   npm run fuzz -- --repeatable          as many inputs as in INPUTS, from one seed, no kept inputs:
 *                                         a slow machine tries the same ones as a fast machine
 *
 * It installs cargo-fuzz into `target/`. `AddressSanitizer` needs the nightly toolchain. Where there
 * is none, the stable one is told to allow what only nightly allows.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ask, ROOT, run, StepFailed, say } from "../scripts/run_command.mjs";

const FOLDER = join(ROOT, "target/fuzz");
const TOOL = join(FOLDER, "tool");
const VERSION = "0.13.2";
const HOST = ask("rustc", ["-vV"])?.match(/^host: (.*)$/m)?.[1];

/** Allocations of more than this are finds: chunks and documents of the targets are small. */
const ALLOCATION_MIB = 256;
/** libFuzzer's limit for one input, in seconds. */
const TIMEOUT_SECONDS = 20;

/** How many inputs `--repeatable` tries: what a target does in about eight seconds on two cores. */
const INPUTS = {
  metadata: 30_000,
  decoders: 12_000,
  compressors: 30_000,
  shards: 9_000,
  archives: 100_000,
  references: 300_000,
  icechunk: 100_000,
  reference_tables: 60_000,
  selections: 2_500,
  store_reads: 1_200,
  round_trips: 3_000,
  instructions: 35_000,
  conventions: 75_000,
  urls: 100_000,
};

const TARGETS = [...readFileSync(join(ROOT, "fuzz/Cargo.toml"), "utf8").matchAll(/^name = "(\w+)"$/gm)].map(
  ([, name]) => name,
);
const CODECS = readdirSync(join(ROOT, "tests/fixtures/codec-vectors"), { withFileTypes: true })
  .filter((entry) => existsSync(join(entry.parentPath, entry.name, "vectors.json")))
  .map((entry) => entry.name);

function parseArguments(words) {
  const options = { seconds: 10, byCodec: false, isRepeatable: false, targets: [] };
  for (let at = 0; at < words.length; at += 1) {
    if (words[at] === "--seconds") {
      at += 1;
      options.seconds = Number(words[at]);
    } else if (words[at] === "--codecs") options.byCodec = true;
    else if (words[at] === "--repeatable") options.isRepeatable = true;
    else if (TARGETS.includes(words[at])) options.targets.push(words[at]);
    else throw new StepFailed(`no fuzz target ${words[at]}: there are ${TARGETS.join(", ")}`);
  }
  if (!(options.seconds > 0)) throw new StepFailed("--seconds needs a number above 0");
  return options;
}

/** The environment for a compiler that has `AddressSanitizer`. */
const compiler = () =>
  ask("rustc", ["+nightly", "-vV"]) === undefined
    ? { RUSTC_BOOTSTRAP: "1" }
    : { RUSTUP_TOOLCHAIN: "nightly" };

async function build() {
  if (!existsSync(join(TOOL, "bin/cargo-fuzz"))) {
    const install = ["install", "cargo-fuzz", "--version", VERSION, "--locked", "--root", TOOL];
    await run("cargo: cargo-fuzz (once)", "cargo", install);
  }
  // cargo-fuzz has no `--locked`.
  const metadata = ["metadata", "--locked", "--format-version", "1", "--manifest-path", "fuzz/Cargo.toml"];
  await run("cargo: fuzz/Cargo.lock fits", "cargo", metadata);
  const words = ["fuzz", "build", "--fuzz-dir", "fuzz", "--target-dir", join(FOLDER, "build")];
  await run("cargo: the fuzz targets, with AddressSanitizer", join(TOOL, "bin/cargo-fuzz"), words, {
    env: compiler(),
  });
}

const programOf = (target) => join(FOLDER, "build", HOST, "release", target);

/** Runs a program of libFuzzer. Resolves to its exit code and its last lines. */
function fuzz(target, words, variables) {
  return new Promise((resolve, reject) => {
    const child = spawn(programOf(target), words, {
      cwd: FOLDER,
      // A target is measured by its own time, so a library beside it may not start threads.
      env: { ...process.env, RAYON_NUM_THREADS: "1", NODE: process.execPath, ...variables },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let output = "";
    child.stderr.on("data", (bytes) => {
      output = (output + bytes).slice(-20_000);
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}

/** Makes the folder where a run begins: the kept inputs, or nothing but what this run adds. */
function corpusOf(name, isRepeatable) {
  const corpus = join(FOLDER, isRepeatable ? "repeatable" : "corpus", name);
  if (isRepeatable) rmSync(corpus, { recursive: true, force: true });
  mkdirSync(corpus, { recursive: true });
  return corpus;
}

/** Runs one target. Resolves to whether it held. */
async function runTarget({ target, codec, seconds, isRepeatable }) {
  const name = codec ? `${target}-${codec}` : target;
  const corpus = corpusOf(name, isRepeatable);
  mkdirSync(join(FOLDER, "finds"), { recursive: true });
  const variables = codec ? { FUZZ_CODEC: codec } : {};
  const seeded = await fuzz(target, ["-runs=0"], { ...variables, FUZZ_SEEDS: corpus });
  if (seeded.code !== 0) throw new StepFailed(`${name} wrote no seeds: ${seeded.output}`);
  const limits = [`-malloc_limit_mb=${ALLOCATION_MIB}`, "-rss_limit_mb=4096", `-timeout=${TIMEOUT_SECONDS}`];
  const extent = isRepeatable ? ["-seed=1", `-runs=${INPUTS[target]}`] : [`-max_total_time=${seconds}`];
  const words = [corpus, ...extent, "-max_len=20000", "-print_final_stats=1", ...limits];
  const started = performance.now();
  const { code, output } = await fuzz(
    target,
    [...words, `-artifact_prefix=${join(FOLDER, "finds", name)}-`],
    variables,
  );
  const runs = output.match(/stat::number_of_executed_units:\s+(\d+)/)?.[1] ?? "?";
  const took = ((performance.now() - started) / 1000).toFixed(1);
  say(`${code === 0 ? "ok" : "not ok"} fuzz ${name}: ${runs} inputs in ${took} s`);
  if (code !== 0) say(output.replace(/^INFO:.*\n|^#\d+\t.*\n/gm, ""));
  return code === 0;
}

/** The runs that the words ask for. */
function runsOf({ seconds, byCodec, isRepeatable, targets }) {
  const usual = byCodec ? ["decoders"] : TARGETS;
  const chosen = targets.length > 0 ? targets : usual;
  return chosen.flatMap((target) =>
    byCodec && target === "decoders"
      ? CODECS.map((codec) => ({ target, codec, seconds, isRepeatable }))
      : [{ target, seconds, isRepeatable }],
  );
}

const options = parseArguments(process.argv.slice(2));
await build();
let failures = 0;
for (const one of runsOf(options)) failures += (await runTarget(one)) ? 0 : 1;
process.exitCode = failures > 0 ? 1 : 0;
