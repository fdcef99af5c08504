/**
 * What the viewer says of errors: a text of its own for each code, the place of the fault, and
 * never that something went wrong. The errors are those of the built package.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import * as zarr from "zarr-wasm";
import { ROOT } from "../../scripts/run_command.mjs";
import { metadata } from "./made_stores.mjs";

const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-errors-"));
after(() => rmSync(folder, { recursive: true, force: true }));

// What the page has and Node lacks.
for (const [name, value] of [
  ["location", new URL("https://viewer.example/")],
  ["navigator", { onLine: true }],
])
  Object.defineProperty(globalThis, name, { value, configurable: true });

const outfile = join(folder, "errors.mjs");
await build({
  entryPoints: [join(ROOT, "www/src/model/text/errors.ts")],
  bundle: true,
  format: "esm",
  outfile,
  logLevel: "error",
  external: ["zarr-wasm"],
});
const { explain, PageError } = await import(pathToFileURL(outfile).href);

const CODES = ["NotFound", "Store", "Format", "Unsupported", "Argument", "Limit", "Aborted"];
const PLACE = new URL("https://data.example/a.zarr");

const storeOf = (document) => new Map([["/zarr.json", Buffer.from(JSON.stringify(document))]]);

/** The error that a call rejects with. */
const errorOf = (call) =>
  call().then(
    () => assert.fail("nothing was thrown"),
    (error) => error,
  );

test("each code of an error has a text of its own", () => {
  const said = CODES.map((code) => explain(new zarr.ZarrError(code, "a message"), PLACE));
  assert.equal(new Set(said.map(({ title }) => title)).size, CODES.length);
  assert.equal(new Set(said.map(({ cause }) => cause)).size, CODES.length);
  for (const { title, cause, cure } of said)
    assert.doesNotMatch(`${title} ${cause} ${cure}`, /something went wrong|may help|did not work/i);
});

test("a fault of the data is named with its place and what was found", async () => {
  const wrong = storeOf({ ...metadata({ shape: [4], chunks: [2], dtype: "uint8" }), shape: "four" });
  const { title, cause } = explain(await errorOf(() => zarr.open(wrong, { kind: "array" })), PLACE);
  assert.match(title, /damaged or not valid/);
  assert.match(cause, /in the field shape/);
  assert.match(cause, /Found: .*four/);
});

test("an argument that the data causes is said to be one of the data set's parts", async () => {
  const array = await zarr.open(storeOf(metadata({ shape: [4], chunks: [2], dtype: "uint8" })));
  const error = await errorOf(() => array.get([9]));
  assert.equal(error.code, "Argument");
  assert.match(explain(error, null).title, /do not fit together/);
});

test("the code of an inner error tells, and what has none is a fault of the page", () => {
  const inner = new zarr.ZarrError("Limit", "too large");
  const outer = explain(new Error("a tile failed", { cause: inner }), PLACE);
  assert.match(outer.title, /too much memory/);
  assert.match(outer.detail, /a tile failed\ntoo large/);
  const internal = new zarr.ZarrError("Unsupported", "internal error of zarr-wasm: the engine was lost");
  for (const fault of [new TypeError("x is undefined"), internal, "a text", { message: 4 }]) {
    const { title, cure } = explain(fault, PLACE);
    assert.match(title, /This page has a fault/);
    assert.match(cure, /report/);
  }
});

test("an error of the page says itself what can be done", () => {
  class OwnError extends PageError {
    title = "A title";
    cure = "A cure.";
  }
  const said = explain(new OwnError("a cause"), PLACE);
  assert.deepEqual(said, { title: "A title", cause: "a cause", cure: "A cure.", detail: "" });
});
