/** Importing the package has no effect on its environment. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");

/** Runs a program as a module. Returns its output. */
function run(program) {
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: ROOT,
    encoding: "utf8",
  });
  assert.equal(stderr, "");
  assert.equal(status, 0);
  return stdout.trim();
}

/** Makes every access to these globals an error. */
const GUARDED = `
  for (const name of ["document", "window", "self", "location", "navigator", "Worker", "fetch", "caches", "crypto", "indexedDB"]) {
    Object.defineProperty(globalThis, name, { configurable: true, get() { throw new Error("touched " + name); } });
  }
`;

for (const entry of [
  "zarr-wasm",
  "zarr-wasm/slim",
  "zarr-wasm/inline",
  "zarr-wasm/fetch",
  "zarr-wasm/zip",
  "zarr-wasm/ref",
]) {
  test(`importing ${entry} accesses no global of a page`, () => {
    const out = run(
      `${GUARDED} const zarr = await import("${entry}"); console.log(typeof zarr === "object");`,
    );
    assert.equal(out, "true");
  });
}

test("without workers, as in jsdom and server rendering, reads run on the caller's thread", () => {
  const out = run(`
    globalThis.document = {};
    globalThis.window = globalThis;
    const zarr = await import("zarr-wasm");
    const array = await zarr.create(new Map(), { shape: [3], chunkShape: [3], dtype: "int8" });
    await array.set(null, [1, 2, 3]);
    console.log([...(await array.get()).data].join(), zarr.info().engine);
  `);
  assert.equal(out, "1,2,3 caller");
});

test("the inline entry reads without another file", () => {
  const out = run(`
    const zarr = await import("zarr-wasm/inline");
    const array = await zarr.create(new Map(), { shape: [3], chunkShape: [3], dtype: "int8" });
    await array.set(null, [4, 5, 6]);
    console.log([...(await array.get()).data].join());
  `);
  assert.equal(out, "4,5,6");
});
