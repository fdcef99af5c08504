/**
 * The conformance lane, in both directions. It prints one line per array, `ok` or `not ok`,
 * and Playwright's report on the viewer's code.
 *
 * - We write hundreds of arrays (`writer/` in Rust, and the built package). zarr-python 3,
 *   zarr-python 2, TensorStore and zarrs read every element.
 * - We write arrays of the historic drafts. A reader after the drafts' texts (`draft_reader.py`),
 *   zarr-python 2 and zarrita 0.2.3 read them.
 * - We copy data sets of xarray to the other format. xarray reads the same values before and after.
 * - We write pyramids and data sets. ome-zarr-py, ngff-zarr, napari-ome-zarr, GDAL and xarray read
 *   them (`check_written.py`).
 * - The viewer writes code for what it shows. zarr-python, xarray, zarrita and we run it.
 * - zarr-python 3, zarr-python 2 and TensorStore write random arrays, and we read them.
 *
 * known_oracle_bugs.json lists the errors of the other libraries, with reasons.
 *
 *   node tests/conformance/run.mjs [seed]
 *
 * It makes the environments (pinned, see tests/fixtures/make) and compiles first. The seed is
 * printed. It changes each day. In CI it is 1, so that a failure means a change in this repository.
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

/** Runs a program. Its output goes to ours unless it is collected. Resolves to its success. */
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

/** Compiles the checker with zarrs. It is a separate crate, because we do not depend on zarrs. */
const checker = (verb, ...args) =>
  run("cargo", [verb, "--locked", "--manifest-path", join(HERE, "zarrs-checker/Cargo.toml"), ...args], {
    env: { CARGO_TARGET_DIR: join(CACHE, "zarrs") },
  });

const WRITER = join(
  resolve(ROOT, process.env.CARGO_TARGET_DIR ?? "target"),
  "debug/examples/conformance_writer",
);

const ZARRITA = join(CACHE, "zarrita-0.2");

/** Installs zarrita 0.2.3 into its own folder, not into ours. */
function installZarrita() {
  mkdirSync(ZARRITA, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) {
    copyFileSync(join(HERE, "zarrita-0.2", file), join(ZARRITA, file));
  }
  return run("npm", ["ci", "--silent", "--prefix", ZARRITA]);
}

function prepare() {
  must("install zarrita 0.2", installZarrita());
  [...ENVIRONMENTS, "cf", "written", "snippets"].forEach(interpreter);
  must("compile zarrs", checker("build"));
  must("compile the writer", run("cargo", ["build", "--locked", "--example", "conformance_writer"]));
  must("compile the reader", run("cargo", ["test", "--locked", "--test", "fixtures", "--no-run"]));
}

/** Runs the code that the viewer writes, in Python, too: `tests/browser/viewer/code.spec.mjs`. */
const runSnippets = () =>
  run(
    process.execPath,
    [
      ...["node_modules/@playwright/test/cli.js", "test", "--config", "tests/browser", "code.spec.mjs"],
      ...["--reporter", "list", "--output", "target/conformance-failures"],
    ],
    { env: { SNIPPETS_PYTHON: interpreter("snippets") } },
  );

const read = (folder, corpus) => [
  python("zarr-python-3", "check_zarr_python.py", folder, corpus),
  python("zarr-python-2", "check_zarr_python.py", folder, corpus),
  python("tensorstore", "check_tensorstore.py", folder, corpus),
  checker("run", "--", folder, corpus),
];

/** The drafts: `draft_reader.py`, zarr-python 2.18 for one draft, and zarrita 0.2.3. */
const readDrafts = (folder) => [
  python("zarr-python-2", "check_drafts.py", folder, "drafts-by-text"),
  python("zarr-python-2", "check_drafts.py", folder, "drafts"),
  run(process.execPath, [join(HERE, "zarrita_0_2.mjs"), ZARRITA]),
];

/** Copies data sets of xarray to the other format and back. */
function copyForXarray(folder) {
  mkdirSync(folder, { recursive: true });
  must("write with xarray", python("cf", "xarray_copies.py", "write", folder));
  must("copy", run(process.execPath, [join(HERE, "xarray_copies.mjs"), folder]));
  return python("cf", "xarray_copies.py", "check", folder);
}

/** Writes pyramids and data sets, into folders and archives. */
function writeImages(folder) {
  mkdirSync(folder, { recursive: true });
  must("write pyramids and data sets", run(process.execPath, [join(HERE, "written_images.mjs"), folder]));
  return python("written", "check_written.py", folder);
}

function theyRead(folder) {
  const [core, javascript] = [join(folder, "core"), join(folder, "javascript")];
  must("write", run(WRITER, [core]));
  must("write from JavaScript", run(process.execPath, [join(HERE, "javascript_writer.mjs"), javascript]));
  const drafts = join(folder, "drafts");
  must("write the drafts", run(process.execPath, [join(HERE, "drafts_writer.mjs"), drafts]));
  const copies = copyForXarray(join(folder, "xarray"));
  const images = writeImages(join(folder, "images"));
  return [...read(core, "ours"), ...read(javascript, "javascript"), ...readDrafts(drafts), copies, images];
}

function weRead(folder, seed) {
  for (const name of ENVIRONMENTS) {
    const script = name === "tensorstore" ? "random_tensorstore.py" : "random_zarr_python.py";
    must(`${name} writes`, python(name, script, folder, seed, String(ARRAYS[name])));
  }
  const env = { ZARR_FIXTURES: folder };
  const words = ["test", "--quiet", "--locked", "--test", "fixtures", "--", "--format", "pretty"];
  const read = run("cargo", words, { capture: true, env });
  console.log(read.output);
  // libtest prints `test <writer>::<case> ... ok`. A case has ten arrays.
  for (const [, name, outcome] of read.output.matchAll(/^test (\S+)\s+\.\.\. (ok|FAILED)$/gm)) {
    console.log(`${outcome === "ok" ? "ok" : "not ok"} we read ${name}`);
  }
  return read;
}

prepare();
const seed = process.argv[2] ?? (process.env.CI ? "1" : String(Math.floor(Date.now() / 86_400_000)));
console.log(`# seed ${seed}`);
const folder = mkdtempSync(join(tmpdir(), "zarr-conformance-"));
try {
  const results = [...theyRead(join(folder, "ours")), weRead(join(folder, "theirs"), seed), runSnippets()];
  if (results.some((result) => !result.succeeded)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
