/**
 * Bytes that `init` was given and that are not the wasm of the build: a web page, half a file,
 * another build, no file. The first call that needs the build rejects with an error that names the
 * option, and works when the option is right.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { importSource } from "./bundled.mjs";
import { madeStore } from "./made_stores.mjs";
import { scriptedServer } from "./scripted_server.mjs";

const wasm = (name) => readFileSync(`dist/${name}`);
const ENGINE = wasm("zarr_wasm.wasm");
const CONVENTIONS = wasm("zarr_wasm_conventions.wasm");

/** A module with an import that no version of this package has: it imports "a" "b". */
const OTHER = new WebAssembly.Module(
  Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 2, 7, 1, 1, 97, 1, 98, 0, 0),
);

const WRONG = {
  "a web page": new TextEncoder().encode("<!doctype html><title>not found</title>"),
  "no bytes": new Uint8Array(0),
  "half a file": ENGINE.subarray(0, ENGINE.length >> 1),
  "another build": CONVENTIONS,
  "a module of another program": OTHER,
  "a response with a web page": () => new Response("<!doctype html>"),
};

const store = madeStore({ shape: [4], chunks: [4], dtype: "uint8" }, () => 5);
const reading = async (zarr) => [...(await (await zarr.open(store, { kind: "array" })).get(null)).data];
const adding = async (zarr) => zarr.reduce(await zarr.open(store, { kind: "array" }), null, { op: "sum" });

const newCopy = () => importSource("package/entry/slim.ts", { source: "none" });

for (const [what, given] of Object.entries(WRONG)) {
  const made = () => (typeof given === "function" ? given() : given);

  test(`wasm: ${what}`, async () => {
    const zarr = await newCopy();
    zarr.init({ wasm: made(), workers: 0 }).catch(() => {});
    await assert.rejects(reading(zarr), {
      code: "Argument",
      message: /option wasm of init/,
      expected: /zarr_wasm\.wasm/,
    });
    zarr.dispose();
    zarr.init({ wasm: ENGINE }).catch(() => {});
    assert.deepEqual(await reading(zarr), [5, 5, 5, 5]);
    zarr.dispose();
  });
}

test("another build's option is named", async () => {
  const zarr = await newCopy();
  zarr.init({ wasm: ENGINE, workers: 0, wasmReduction: ENGINE }).catch(() => {});
  const error = { code: "Argument", message: /option wasmReduction of init/ };
  await assert.rejects(adding(zarr), error);
  zarr.dispose();
});

test("a URL: what the server sends, and that it does not answer", async (t) => {
  const server = await scriptedServer(new Map([["/page", Buffer.from("<!doctype html>")]]));
  t.after(() => server.close());
  const cases = [
    [`${server.url}/page`, { code: "Argument", message: /option wasm of init/ }],
    [`${server.url}/missing`, { code: "Store", message: /missing.*404/ }],
    ["http://127.0.0.1:9/engine.wasm", { code: "Store", message: /127\.0\.0\.1:9.*could not be loaded/ }],
    [pathToFileURL("/missing/engine.wasm"), { code: "Store", message: /engine\.wasm could not be loaded/ }],
  ];
  for (const [url, error] of cases) {
    const zarr = await newCopy();
    zarr.init({ wasm: url, workers: 0 }).catch(() => {});
    await assert.rejects(reading(zarr), error);
    zarr.dispose();
  }
});
