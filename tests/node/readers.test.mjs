/**
 * docs/readers.md and its data (`tests/readers`), without the other readers: the page is made of
 * the data, our column is what our reader gives now, and other elements are found. Arrays that are
 * newer than the data are in them after the next `npm run readers`.
 */
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { serve } from "../../scripts/serve.mjs";
import { fixtureArrays } from "../readers/arrays.mjs";
import { cellsOf } from "../readers/cells.mjs";
import { outcomeOf } from "../readers/compare.mjs";
import { containerArrays, layOut, VIRTUAL_PORT } from "../readers/containers.mjs";
import { conventionArrays, layOutConventions } from "../readers/conventions.mjs";
import { pageOf } from "../readers/page.mjs";
import { measuredOn, plotsOf } from "../readers/plots.mjs";
import { textOf, unpackResults } from "../readers/results.mjs";
import { serveVirtual } from "../readers/virtual_files.mjs";
import { read } from "../readers/with_zarr_wasm.mjs";
import { FIXTURES } from "./fixture_files.mjs";

const ROOT = join(import.meta.dirname, "../..");
const textAt = (path) => readFileSync(join(ROOT, path), "utf8");
const json = JSON.parse(textAt("docs/readers.json"));
const known = new Map(unpackResults(json).arrays.map((array) => [array.id, array]));

const work = mkdtempSync(join(tmpdir(), "zarr-wasm-readers-"));
let servers;
before(async () => {
  servers = [
    await serve({ "/": work, "/fixtures/": FIXTURES }, { data: ["/"] }),
    await serveVirtual(VIRTUAL_PORT),
  ];
  layOut(join(work), servers[0].url);
  layOutConventions(join(work, "conventions"));
});
after(async () => {
  await Promise.all(servers.map((server) => server.close()));
  rmSync(work, { recursive: true });
});

const line = (request) => read(request).catch((error) => ({ error: error.message }));

/** Compares outcomes and features with those in docs/readers.json. */
async function checkOurs(arrays) {
  assert.ok(arrays.length > 0);
  for (const { request, features, expected } of arrays) {
    const told = known.get(request.id);
    const outcome = outcomeOf(await line(request), expected);
    assert.equal(outcome, told?.outcomes["zarr-wasm"] ?? "reads", request.id);
    if (told) assert.deepEqual(features, told.features, request.id);
  }
}

describe("docs/readers", () => {
  test("the page is what page.mjs makes of the data: npm run readers -- --page", () => {
    assert.equal(textAt("docs/readers.md"), pageOf(json));
  });

  test("the data are written as results.mjs writes them", () => {
    assert.equal(textAt("docs/readers.json"), textOf(json));
  });

  test("the plots are there, without a background and with the page's colour", () => {
    assert.deepEqual(
      json.plots.map(({ title }) => title),
      plotsOf(textAt("benches/RESULTS.md")).map(({ title }) => title),
    );
    assert.match(measuredOn(textAt("benches/RESULTS.md")), /commit [0-9a-f]+/);
    for (const { file } of json.plots) {
      const svg = textAt(`docs/pictures/${file}`);
      assert.match(svg, /fill="currentColor"/);
      assert.match(svg, /<title>/);
    }
  });

  test("our column: every array of the fixtures", () => checkOurs(fixtureArrays()));

  test("our column: containers", () => checkOurs(containerArrays(servers[0].url, work)));

  test("our column: conventions", () => {
    const arrays = conventionArrays(`${servers[0].url}/conventions`, join(work, "conventions"));
    const isHalf = ({ request }) => request.type === "float16";
    return checkOurs(globalThis.Float16Array ? arrays : arrays.filter((array) => !isHalf(array)));
  });
});

describe("the comparison", () => {
  const packed = (...values) => Buffer.from(Float32Array.from(values).buffer).toString("base64");
  const expected = { shape: [2], values: packed(1, Number.NaN) };

  test("one other bit is wrong, in NaN too", () => {
    assert.equal(outcomeOf({ shape: [2], values: packed(1, Number.NaN) }, expected), "reads");
    assert.equal(outcomeOf({ shape: [2], values: packed(1, 2) }, expected), "wrong");
    const payload = Buffer.from(expected.values, "base64");
    payload[4] = 1;
    assert.equal(outcomeOf({ shape: [2], values: payload.toString("base64") }, expected), "wrong");
    assert.equal(outcomeOf({ shape: [1, 2], values: expected.values }, expected), "wrong");
    assert.equal(outcomeOf({ error: "no" }, expected), "refuses");
  });

  test("other texts, and coordinates that are not close, are wrong", () => {
    const texts = { shape: [2], values_json: ["a", null] };
    assert.equal(outcomeOf({ shape: [2], json: ["a", null] }, texts), "reads");
    assert.equal(outcomeOf({ shape: [2], json: ["a", ""] }, texts), "wrong");
    assert.equal(outcomeOf({ numbers: [1, 2 + 1e-12] }, { numbers: [1, 2] }), "reads");
    assert.equal(outcomeOf({ numbers: [1, 2.001] }, { numbers: [1, 2] }), "wrong");
    assert.equal(outcomeOf({ numbers: [1] }, { numbers: [1, 2] }), "wrong");
  });

  test("a chunk with one other byte is found", async () => {
    const { request, expected: right } = fixtureArrays().find(
      ({ request: { id } }) => id === "zarr-python-3/codecs-v3/raw",
    );
    const store = join(work, "changed");
    cpSync(request.store, store, { recursive: true });
    const chunk = ["c/0/0", "c/0"].map((key) => join(store, request.path, key)).find(existsSync);
    const bytes = readFileSync(chunk);
    assert.equal(outcomeOf(await line({ ...request, store }), right), "reads");
    bytes[0] ^= 1;
    writeFileSync(chunk, bytes);
    assert.equal(outcomeOf(await line({ ...request, store }), right), "wrong");
  });
});

describe("a cell", () => {
  const row = { label: "float16", features: ["type:float16"] };
  const array = (features, outcome) => ({
    features: ["format:v3", ...features],
    outcomes: { other: outcome },
  });
  const cell = (arrays, of = row) => cellsOf(arrays)(of, "other");

  test("sums up what was read, refused and wrong", () => {
    const [good, bad] = [array(["type:float16"], "reads"), array(["type:float16"], "refuses")];
    assert.equal(cell([good, good]), "yes");
    const version = array(["type:int16"], "reads");
    assert.equal(cell([bad, version]), "no");
    assert.equal(cell([bad]), "–", "a reader that reads nothing of the version");
    assert.equal(cell([good, bad]), "1 of 2");
    assert.equal(cell([good, array(["type:float16"], "wrong")]), "**wrong 1 of 2**");
    assert.equal(cell([array(["type:float16"], "none")]), "–");
    assert.equal(cell([]), "–");
  });

  test("counts plain arrays, and none with another feature that the reader lacks", () => {
    const rare = array(["codec:rare", "type:float16"], "refuses");
    assert.equal(cell([array(["type:float16"], "reads"), rare]), "yes");
    assert.equal(cell([rare]), "–");
    assert.equal(cell([rare, array(["codec:rare", "type:int16"], "reads")]), "no");
    assert.equal(cell([array(["form:broken-rule", "type:float16"], "other")]), "–");
  });

  test("tells v2 and v3 apart where they differ", () => {
    const old = (type, other) => ({ features: ["format:v2", type], outcomes: { other } });
    const all = [
      array(["type:float16"], "reads"),
      old("type:float16", "refuses"),
      old("type:int16", "reads"),
    ];
    assert.equal(cell(all), "v2 no, v3 yes");
    assert.equal(cell(all, { ...row, together: true }), "1 of 2");
  });
});
