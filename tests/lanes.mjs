/**
 * The lanes of the test suite. Each has a command, and `everyday`: whether `npm test` runs it, or
 * only `npm run test:all`. `counts` counts the tests in its output. `only` is the command for the
 * tests with matching names. `needs` names what setup installs first (`setUp` of
 * scripts/setup.mjs): the paths of Chromium and nginx are in CHROMIUM and NGINX.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { OF_VIEWER } from "./browser/harness.mjs";
import { countConformance, countOk, countPlaywright, countRust, countTap } from "./reports.mjs";

const node = process.execPath;
/** The files are listed, because `node --test <folder>` differs between Node 20 and 22. */
const NODE_TESTS = readdirSync(join(import.meta.dirname, "node"))
  .filter((name) => name.endsWith(".test.mjs"))
  .map((name) => `tests/node/${name}`);
// Without files `node --test` would run every test that it finds.
if (NODE_TESTS.length === 0) throw new Error("tests/node has no tests");
/** Tests of opening and reading that do not count requests or look at caches. */
const LIGHT_TESTS = [
  ...["abort", "arguments", "bad_fixtures", "broken_off", "data_types", "errors", "every_argument"],
  ...["exact_values", "faults", "fixtures", "hostile_messages", "hostile_stores"],
  ...["newcomers", "opening", "reach", "reading", "redirects", "refused_requests", "secrets", "selections"],
].map((name) => `tests/node/${name}.test.mjs`);
/** Two files at a time: on two cores, Node's default is one. */
const NODE_TEST = [node, "--test", "--test-concurrency=3", "--test-reporter=tap"];
/** Runs projects of tests/browser/playwright.config.mjs. */
const playwright = (...projects) => [
  ...[node, "node_modules/@playwright/test/cli.js", "test", "--config", "tests/browser"],
  ...projects.flatMap((project) => ["--project", project]),
];
const PACKAGE_IN_CHROMIUM = playwright("in page", "package");
const VIEWER_IN_CHROMIUM = playwright("viewer in page", "viewer");
const RUST_TESTS = ["test", "--locked", "--no-fail-fast"];
/** Its argument is a regular expression for names of tests. */
const ENGINES = [node, "tests/engines/run.mjs"];
/** `xtask` has a profile of its own, in which it is built already. */
const XTASK_TESTS = ["test", "--locked", "--package", "xtask", "--profile", "tools"];
const WASM_TESTS = [
  ...["test", "--locked", "--package", "zarr-wasm-kernel"],
  ...["--target", "wasm32-unknown-unknown"],
];

export const LANES = [
  {
    name: "rust",
    what: "Rust tests on the host",
    everyday: true,
    command: ["cargo", ...RUST_TESTS],
    only: (names) => ["cargo", ...RUST_TESTS, names],
    counts: countRust,
  },
  {
    name: "xtask",
    what: "the passes over wasm: what must hold of what they write",
    everyday: true,
    command: ["cargo", ...XTASK_TESTS],
    only: (names) => ["cargo", ...XTASK_TESTS, names],
    counts: countRust,
  },
  {
    name: "types",
    what: "TypeScript: our sources, and the published types as a user's compiler sees them",
    everyday: true,
    command: [node, "tests/types.mjs"],
    counts: countOk,
  },
  {
    name: "unit",
    what: "TypeScript and JavaScript tests beside the code, of what needs no build of the engine",
    everyday: true,
    command: [node, "tests/unit.mjs"],
    counts: countTap,
  },
  {
    name: "node",
    what: "the built package, and the project's own tools, in Node",
    everyday: true,
    needs: ["nginx"],
    command: [...NODE_TEST, ...NODE_TESTS],
    only: (names) => [...NODE_TEST, `--test-name-pattern=${names}`, ...NODE_TESTS],
    counts: countTap,
  },
  {
    name: "light",
    what: "tests of opening and reading in Node, with the light build asked before the engine",
    command: [...NODE_TEST, "--import", "./tests/support/light_forced.mjs", ...LIGHT_TESTS],
    only: (names) => [
      ...[...NODE_TEST, "--import", "./tests/support/light_forced.mjs"],
      ...[`--test-name-pattern=${names}`, ...LIGHT_TESTS],
    ],
    counts: countTap,
  },
  {
    name: "wasm",
    what: "Rust tests of the kernels, compiled to wasm, in Node",
    everyday: true,
    command: ["cargo", ...WASM_TESTS],
    counts: countRust,
  },
  {
    name: "browser",
    what: "the built package in headless Chromium",
    everyday: true,
    needs: ["browser"],
    command: PACKAGE_IN_CHROMIUM,
    only: (names) => [...PACKAGE_IN_CHROMIUM, "--grep", names],
    counts: countPlaywright,
  },
  {
    // It takes longer than the lane `browser`, and tests one page.
    name: "viewer",
    what: "the viewer, the element and the examples in headless Chromium, by clicks and keys",
    everyday: false,
    needs: ["browser"],
    command: VIEWER_IN_CHROMIUM,
    only: (names) => [...VIEWER_IN_CHROMIUM, "--grep", names],
    counts: countPlaywright,
  },
  {
    name: "engines",
    what: "the built package in Firefox and WebKitGTK",
    everyday: false,
    needs: ["engines"],
    command: [...ENGINES, `^(?!${OF_VIEWER.source})`],
    only: (names) => [...ENGINES, names],
    counts: countTap,
  },
  {
    name: "viewer_engines",
    what: "the viewer's pixels and plots in Firefox and WebKitGTK",
    everyday: false,
    needs: ["engines"],
    command: [...ENGINES, OF_VIEWER.source],
    counts: countTap,
  },
  {
    name: "consumers",
    what: "the packed package in bundlers, runtimes, test runners, pages and compilers of users",
    everyday: false,
    needs: ["browser"],
    command: [node, "tests/consumers/run.mjs"],
    only: (names) => [node, "tests/consumers/run.mjs", names],
    counts: countOk,
  },
  {
    name: "site",
    what: "the site of the documentation: every block, search, phones, accessibility, no JavaScript",
    everyday: false,
    needs: ["browser"],
    command: [node, "tests/site/run.mjs"],
    only: (names) => [node, "tests/site/run.mjs", "--grep", names],
    counts: countPlaywright,
  },
  {
    name: "lighthouse",
    what: "five pages of the site in Lighthouse: 95 or more in each category, on a phone and a desktop",
    everyday: false,
    needs: ["browser"],
    command: [node, "tests/site/lighthouse.mjs"],
    counts: countOk,
  },
  {
    name: "servers",
    what: "reads from nginx, Apache, Caddy, Python, npm's servers, moto and s3rver",
    everyday: false,
    needs: ["browser", "nginx", "servers"],
    command: [node, "tests/servers/run.mjs"],
    only: (names) => [node, "tests/servers/run.mjs", names],
    counts: countOk,
  },
  {
    name: "dependencies",
    what: "licences, sources, versions and advisories of what Cargo.lock and package-lock.json name",
    everyday: false,
    command: [node, "tests/dependencies.mjs"],
    counts: countOk,
  },
  {
    name: "crates",
    what: "each published crate compiles from its package alone",
    everyday: false,
    command: [node, "scripts/crates.mjs", "--verify"],
    counts: countOk,
  },
  {
    name: "fuzz",
    what: "each fuzz target on the same inputs each time, with AddressSanitizer",
    everyday: false,
    command: [node, "fuzz/run.mjs", "--repeatable"],
    counts: countOk,
  },
  {
    name: "miri",
    what: "the tests of the kernels with unsafe code, in Miri",
    everyday: false,
    command: [node, "tests/miri.mjs"],
    counts: countRust,
  },
  {
    name: "conformance",
    what: "zarr-python, TensorStore and zarrs read what we write, we read what they write",
    everyday: false,
    needs: ["browser"],
    command: [node, "tests/conformance/run.mjs"],
    counts: countConformance,
  },
];
