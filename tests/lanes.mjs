/**
 * The lanes of the test suite. Each has a command, a time limit in minutes on two slow cores with
 * another lane beside it, and `everyday`: whether `npm test` runs it, or only `npm run test:all`.
 * `counts` counts the tests in its output. `prepare` compiles first, with a separate time limit,
 * because that takes minutes on a new machine. `isBeside`: the lane runs beside those that are not,
 * because each waits now and then. Lanes that are share the folders of their bundles.
 * `compilesAhead`: no lane waits for `prepare` but its own, so it runs beside the others. `only` is
 * the command for the tests with matching names. `browser`: the lane needs Chromium, whose path
 * is in CHROMIUM. `nginx`: the same with NGINX. `servers`: it needs Apache and Caddy, too.
 * `engines`: it needs Firefox and WebKitGTK. `npm`: its first run installs tools from npm's
 * registry, into `target/`.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";

const node = process.execPath;
/** The files are listed, because `node --test <folder>` differs between Node 20 and 22. */
const NODE_TESTS = readdirSync(join(import.meta.dirname, "node"))
  .filter((name) => name.endsWith(".test.mjs"))
  .map((name) => `tests/node/${name}`);
// Without files `node --test` would run every test that it finds.
if (NODE_TESTS.length === 0) throw new Error("tests/node has no tests");
/** Two files at a time: on two cores, Node's default is one. */
const NODE_TEST = [node, "--test", "--test-concurrency=2", "--test-reporter=tap"];
const PLAYWRIGHT = [node, "node_modules/@playwright/test/cli.js", "test", "--config", "tests/browser"];
/** `xtask` has a profile of its own, in which it is built already. */
const RUST_TESTS = ["test", "--locked", "--workspace", "--exclude", "xtask", "--no-fail-fast"];
const XTASK_TESTS = ["test", "--locked", "--package", "xtask", "--profile", "tools"];
const WASM_TESTS = [
  ...["test", "--locked", "--package", "zarr-wasm-kernel"],
  ...["--target", "wasm32-unknown-unknown"],
];

/** Counts the tests in the last lines of libtest and of the wasm runner. */
function countRust(output) {
  const totals = { passed: 0, failed: 0 };
  for (const [, passed, failed] of output.matchAll(/^test result: \S+ (\d+) passed; (\d+) failed/gm)) {
    totals.passed += Number(passed);
    totals.failed += Number(failed);
  }
  return totals;
}

/** Counts the tests in the last lines of TAP reports: `node --test`, the lane engines. */
function countTap(output) {
  const total = (word) =>
    [...output.matchAll(new RegExp(`^# ${word} (\\d+)$`, "gm"))].reduce((sum, [, n]) => sum + Number(n), 0);
  return { passed: total("pass"), failed: total("fail") };
}

/**
 * Counts the tests in the last lines of Playwright's list, of which some are only there if there
 * are such tests. A flaky test failed, and passed when it was repeated.
 */
function countPlaywright(output) {
  const total = (word) => Number(new RegExp(`^ +(\\d+) ${word}\\b`, "m").exec(output)?.[1] ?? 0);
  const [flaky, failed] = [total("flaky"), total("failed")];
  return { passed: total("passed") + flaky, failed: failed + total("did not run"), flaky };
}

/** Counts the lines `ok` and `not ok` of our own programs, such as tests/types.mjs. */
function countOk(output) {
  return {
    passed: (output.match(/^ok /gm) ?? []).length,
    failed: (output.match(/^not ok /gm) ?? []).length,
  };
}

/** Counts the lines of the lane conformance, and its tests of the viewer's code by Playwright. */
function countConformance(output) {
  const [own, ofViewer] = [countOk(output), countPlaywright(output)];
  return { passed: own.passed + ofViewer.passed, failed: own.failed + ofViewer.failed };
}

export const LANES = [
  {
    name: "rust",
    what: "Rust tests on the host",
    minutes: 15,
    everyday: true,
    prepare: ["cargo", ...RUST_TESTS, "--no-run"],
    command: ["cargo", ...RUST_TESTS],
    only: (names) => ["cargo", ...RUST_TESTS, names],
    counts: countRust,
  },
  {
    name: "xtask",
    what: "the passes over wasm: what must hold of what they write",
    minutes: 5,
    everyday: true,
    prepare: ["cargo", ...XTASK_TESTS, "--no-run"],
    command: ["cargo", ...XTASK_TESTS],
    only: (names) => ["cargo", ...XTASK_TESTS, names],
    counts: countRust,
  },
  {
    name: "types",
    what: "TypeScript: our sources, and the published types as a user's compiler sees them",
    minutes: 4,
    everyday: true,
    command: [node, "tests/types.mjs"],
    counts: countOk,
  },
  {
    name: "unit",
    what: "TypeScript and JavaScript tests beside the code, of what needs no build of the engine",
    minutes: 2,
    everyday: true,
    command: [node, "tests/unit.mjs"],
    counts: countTap,
  },
  {
    name: "node",
    what: "the built package, and the project's own tools, in Node",
    minutes: 30,
    everyday: true,
    nginx: true,
    command: [...NODE_TEST, ...NODE_TESTS],
    only: (names) => [...NODE_TEST, `--test-name-pattern=${names}`, ...NODE_TESTS],
    counts: countTap,
  },
  {
    name: "wasm",
    what: "Rust tests of the kernels, compiled to wasm, in Node",
    minutes: 5,
    everyday: true,
    prepare: ["cargo", ...WASM_TESTS, "--no-run"],
    command: ["cargo", ...WASM_TESTS],
    counts: countRust,
  },
  {
    name: "browser",
    what: "the built package in headless Chromium",
    minutes: 40,
    everyday: true,
    browser: true,
    isBeside: true,
    command: PLAYWRIGHT,
    only: (names) => [...PLAYWRIGHT, "--grep", names],
    counts: countPlaywright,
  },
  {
    name: "engines",
    what: "the built package and the viewer's pixels in Firefox and WebKitGTK",
    minutes: 35,
    everyday: false,
    engines: true,
    isBeside: true,
    command: [node, "tests/engines/run.mjs"],
    only: (names) => [node, "tests/engines/run.mjs", names],
    counts: countTap,
  },
  {
    name: "consumers",
    what: "the packed package in bundlers, runtimes, test runners, pages and compilers of users",
    minutes: 25,
    everyday: false,
    browser: true,
    npm: true,
    command: [node, "tests/consumers/run.mjs"],
    only: (names) => [node, "tests/consumers/run.mjs", names],
    counts: countOk,
  },
  {
    name: "servers",
    what: "reads from nginx, Apache, Caddy, Python, npm's servers, moto and s3rver",
    minutes: 10,
    everyday: false,
    browser: true,
    nginx: true,
    servers: true,
    npm: true,
    command: [node, "tests/servers/run.mjs"],
    only: (names) => [node, "tests/servers/run.mjs", names],
    counts: countOk,
  },
  {
    name: "dependencies",
    what: "licences, sources, versions and advisories of what Cargo.lock and package-lock.json name",
    minutes: 3,
    everyday: false,
    prepare: [node, "tests/dependencies.mjs", "prepare"],
    command: [node, "tests/dependencies.mjs"],
    counts: countOk,
  },
  {
    name: "crates",
    what: "each published crate compiles from its package alone",
    minutes: 10,
    everyday: false,
    command: [node, "scripts/crates.mjs", "--verify"],
    counts: countOk,
  },
  {
    name: "fuzz",
    what: "each fuzz target on the same inputs each time, with AddressSanitizer",
    minutes: 15,
    everyday: false,
    prepare: [node, "fuzz/run.mjs", "--build"],
    compilesAhead: true,
    command: [node, "fuzz/run.mjs", "--repeatable"],
    counts: countOk,
  },
  {
    name: "miri",
    what: "the tests of the kernels with unsafe code, in Miri",
    minutes: 10,
    everyday: false,
    prepare: [node, "tests/miri.mjs", "prepare"],
    command: [node, "tests/miri.mjs"],
    counts: countRust,
  },
  {
    name: "conformance",
    what: "zarr-python, TensorStore and zarrs read what we write, we read what they write",
    minutes: 20,
    everyday: false,
    isBeside: true,
    browser: true,
    prepare: [node, "tests/conformance/run.mjs", "prepare"],
    compilesAhead: true,
    command: [node, "tests/conformance/run.mjs"],
    counts: countConformance,
  },
];
