#!/usr/bin/env node
/**
 * Runs a Rust test binary for wasm32-unknown-unknown in Node. cargo calls it as the target's
 * runner, with the path of the .wasm file and the filters behind `cargo test … --`.
 *
 * `#[wasm_bindgen_test]` exports each test as a function whose name begins with `__wbgt_`. This
 * script lets xtask generate the glue, runs each test in a new instance, because a panic traps and
 * leaves the memory in an unknown state, and prints what libtest would print.
 *
 * wasm-bindgen's own runner (`wasm-bindgen-test-runner`) passes the same tests. No registry has it
 * as a program, and compiling it takes 104 crates more than xtask, which the build has compiled
 * already: 2.6 times the time of wasm-bindgen itself.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const TEST_EXPORT = /^__wbgt_(?<ignored>\$?)_(?<name>.*)$/;

/** Makes the glue of the test binary in `folder`. */
function generateGlue(wasm, folder) {
  const xtask = process.env.ZARR_XTASK;
  const [command, first] = xtask
    ? [xtask, []]
    : ["cargo", ["run", "--quiet", "--locked", "--package", "xtask", "--profile", "tools", "--"]];
  execFileSync(command, [...first, "glue", wasm, folder, "--names"], {
    stdio: ["ignore", "inherit", "inherit"],
  });
}

/** The tests that the module exports, sorted by name, without the crate's name. */
function listTests(module, filters) {
  return WebAssembly.Module.exports(module)
    .map(({ name: exported }) => ({ exported, match: TEST_EXPORT.exec(exported) }))
    .filter(({ match }) => match)
    .map(({ exported, match }) => ({
      exported,
      ignored: match.groups.ignored !== "",
      name: match.groups.name.split("::").slice(1).join("::"),
    }))
    .filter(({ name }) => filters.length === 0 || filters.some((filter) => name.includes(filter)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Runs `body` and returns what it wrote to the console and to the harness's own output. */
async function captured(body) {
  const said = [];
  const originals = {};
  const divert = (...parts) => said.push(parts.map(String).join(" "));
  for (const method of ["log", "debug", "info", "warn", "error"]) {
    originals[method] = console[method];
    console[method] = divert;
  }
  globalThis.__wbgtest_og_console_log = () => {};
  try {
    return { passed: await body(), said };
  } catch (error) {
    return { passed: false, said: [...said, String(error?.stack ?? error)] };
  } finally {
    Object.assign(console, originals);
  }
}

/** The panic message and the test's output, without the harness's own lines. */
function readable(said) {
  return said
    .filter((line) => !line.startsWith("Invoking test: "))
    .map((line) => line.split("\n\nStack:\n")[0].trimEnd())
    .join("\n");
}

async function main([wasm, ...rest]) {
  const filters = rest.filter((argument) => !argument.startsWith("-"));
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-tests-"));
  let failed = 0;
  let passed = 0;
  let ignored = 0;
  try {
    generateGlue(wasm, folder);
    const module = new WebAssembly.Module(readFileSync(join(folder, "zarr_wasm_bg.wasm")));
    globalThis.__wbg_test_invoke = (run) => run();
    const tests = listTests(module, filters);
    console.log(`\nrunning ${tests.length} tests`);
    for (const [at, test] of tests.entries()) {
      if (test.ignored) {
        ignored += 1;
        console.log(`test ${test.name} ... ignored`);
        continue;
      }
      // The module has one instance: with another address it is another module.
      const glue = await import(`${pathToFileURL(join(folder, "zarr_wasm.js"))}?${at}`);
      const instance = glue.initSync({ module });
      const outcome = await captured(() => {
        const context = new glue.WasmBindgenTestContext(false);
        return context.run([instance[test.exported]]);
      });
      console.log(`test ${test.name} ... ${outcome.passed ? "ok" : "FAILED"}`);
      if (outcome.passed) passed += 1;
      else {
        failed += 1;
        console.log(`---- ${test.name} ----\n${readable(outcome.said)}\n`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const verdict = failed === 0 ? "ok" : "FAILED";
  console.log(`\ntest result: ${verdict}. ${passed} passed; ${failed} failed; ${ignored} ignored\n`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
