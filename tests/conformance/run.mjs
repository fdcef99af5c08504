/**
 * The conformance lane, in both directions. We write some hundreds of arrays (`writer/`, and from JavaScript with the built
 * package), and zarr-python 3, zarr-python 2,
 * TensorStore and zarrs read every element; what we write of the historic drafts is read by their texts (`draft_reader.py`), by
 * zarr-python 2 and by zarrita 0.2.3; xarray sees the same in data sets before and after we copy them
 * into the other format; each of the first three writes arrays chosen by chance, and we read those. One line
 * an array, `ok` or `not ok`; what an oracle itself gets wrong is listed in known_oracle_bugs.json, with its reason.
 *
 *   node tests/conformance/run.mjs [prepare] [seed]
 *
 * `prepare` makes the environments (pinned, see tests/fixtures/make) and compiles. The seed is printed; it is chosen anew by the day,
 * and is 1 where CI is set, so that a red run means that something has changed here.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(HERE, "../..");
const CACHE = process.env.ZARR_FIXTURES_CACHE ?? join(ROOT, "target/fixtures");
const ENVIRONMENTS = ["zarr-python-3", "zarr-python-2", "tensorstore"];
const ARRAYS = { "zarr-python-3": 300, "zarr-python-2": 120, tensorstore: 200 };

/** Runs a program; its output goes where ours goes unless it is asked for. Resolves to whether it succeeded. */
function run(program, args, { capture = false, env = {} } = {}) {
  const stdio = ["ignore", capture ? "pipe" : "inherit", "inherit"];
  const done = spawnSync(program, args, {
    cwd: ROOT,
    stdio,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  if (done.error) throw done.error;
  return { succeeded: done.status === 0, output: done.stdout?.trim() };
}

function must(what, result) {
  if (result.succeeded) return result.output;
  console.log(`not ok ${what}`);
  process.exit(1);
}

const interpreter = (name) =>
  must(
    `environment ${name}`,
    run("bash", ["tests/fixtures/make/make.sh", "interpreter", name], { capture: true }),
  );

const python = (name, script, ...args) =>
  run(interpreter(name), [join(HERE, script), ...args], { env: { PYTHONDONTWRITEBYTECODE: "1" } });

/** zarrs is no dependency of the project: its checker is a crate of its own, compiled apart. */
const checker = (verb, ...args) =>
  run(
    "cargo",
    [verb, "--quiet", "--locked", "--manifest-path", join(HERE, "zarrs-checker/Cargo.toml"), ...args],
    {
      env: { CARGO_TARGET_DIR: join(CACHE, "zarrs") },
    },
  );

const OURS = ["--package", "zarr-wasm"];

const ZARRITA = join(CACHE, "zarrita-0.2");

/** A version of long ago: a package of its own, not in ours. */
function installZarrita() {
  mkdirSync(ZARRITA, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) {
    copyFileSync(join(HERE, "zarrita-0.2", file), join(ZARRITA, file));
  }
  return run("npm", ["ci", "--silent", "--prefix", ZARRITA]);
}

function prepare() {
  must("install zarrita 0.2", installZarrita());
  [...ENVIRONMENTS, "cf"].forEach(interpreter);
  must("compile zarrs", checker("build"));
  must("compile the writer", run("cargo", ["build", ...OURS, "--example", "conformance_writer"]));
  must("compile the reader", run("cargo", ["test", ...OURS, "--test", "fixtures", "--no-run"]));
}

const read = (folder, corpus) => [
  python("zarr-python-3", "check_zarr_python.py", folder, corpus),
  python("zarr-python-2", "check_zarr_python.py", folder, corpus),
  python("tensorstore", "check_tensorstore.py", folder, corpus),
  checker("run", "--", folder, corpus),
];

/** By the texts, by zarr-python 2.18 where it knows the draft, and by zarrita 0.2.3, which writes too. */
const readDrafts = (folder) => [
  python("zarr-python-2", "check_drafts.py", folder, "drafts-by-text"),
  python("zarr-python-2", "check_drafts.py", folder, "drafts"),
  run(process.execPath, [join(HERE, "zarrita_0_2.mjs"), ZARRITA]),
];

/** Data sets of xarray's, copied into the other format and back. */
function copyForXarray(folder) {
  mkdirSync(folder, { recursive: true });
  must("write with xarray", python("cf", "xarray_copies.py", "write", folder));
  must("copy", run(process.execPath, [join(HERE, "xarray_copies.mjs"), folder]));
  return python("cf", "xarray_copies.py", "check", folder);
}

function theyRead(folder) {
  const [core, javascript] = [join(folder, "core"), join(folder, "javascript")];
  must("write", run("cargo", ["run", "--quiet", ...OURS, "--example", "conformance_writer", "--", core]));
  must("write from JavaScript", run(process.execPath, [join(HERE, "javascript_writer.mjs"), javascript]));
  const drafts = join(folder, "drafts");
  must("write the drafts", run(process.execPath, [join(HERE, "drafts_writer.mjs"), drafts]));
  const copies = copyForXarray(join(folder, "xarray"));
  return [...read(core, "ours"), ...read(javascript, "javascript"), ...readDrafts(drafts), copies];
}

function weRead(folder, seed) {
  for (const name of ENVIRONMENTS) {
    const script = name === "tensorstore" ? "random_tensorstore.py" : "random_zarr_python.py";
    must(`${name} writes`, python(name, script, folder, seed, String(ARRAYS[name])));
  }
  const env = { ZARR_FIXTURES: folder };
  const read = run("cargo", ["test", "--quiet", ...OURS, "--test", "fixtures", "--", "--format", "pretty"], {
    capture: true,
    env,
  });
  console.log(read.output);
  // libtest writes `test <writer>::<case> ... ok`; a case is ten arrays.
  for (const [, name, outcome] of read.output.matchAll(/^test (\S+)\s+\.\.\. (ok|FAILED)$/gm)) {
    console.log(`${outcome === "ok" ? "ok" : "not ok"} we read ${name}`);
  }
  return read;
}

const words = process.argv.slice(2);
if (words.includes("prepare")) {
  prepare();
} else {
  const seed = words[0] ?? (process.env.CI ? "1" : String(Math.floor(Date.now() / 86_400_000)));
  console.log(`# seed ${seed}`);
  const folder = mkdtempSync(join(tmpdir(), "zarr-conformance-"));
  try {
    const results = [...theyRead(join(folder, "ours")), weRead(join(folder, "theirs"), seed)];
    if (results.some((result) => !result.succeeded)) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
