/**
 * The light build in a page: what it answers without a worker, when the engine takes over, and that
 * a call goes on in the engine whatever happens in between. `tests/node/light.test.mjs` compares
 * values of all fixtures.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { build } from "esbuild";
import { create, root } from "zarr-wasm";
import { expect, test } from "../fixtures.mjs";
import { OUTPUT, ROOT } from "../places.mjs";

const FOLDER = join(OUTPUT, "light");
const HTML = '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>';

/** A store with an array of numbers from 0 up, and another state of it. */
async function made(first) {
  const store = new Map();
  const options = { shape: [2048, 1024], chunkShape: [64, 64], dtype: "uint16", shardShape: [256, 256] };
  const array = await create(root(store).resolve("sharded"), options);
  const values = Uint16Array.from({ length: 2048 * 1024 }, (_, at) => first + at);
  await array.set(null, values);
  const plain = await create(root(store).resolve("plain"), { ...options, shardShape: undefined });
  await plain.set(null, values);
  return store;
}

let server;
let files;
/** What the server does in place of its answer, if it returns true. */
let act;
const asked = [];

async function answer(request, response) {
  const { pathname } = new URL(request.url, "http://host");
  if (pathname === "/") return response.writeHead(200, { "Content-Type": "text/html" }).end(HTML);
  const script = join(FOLDER, pathname);
  if (existsSync(script))
    return response.writeHead(200, { "Content-Type": "text/javascript" }).end(readFileSync(script));
  response.setHeader("ETag", '"first"');
  asked.push(`${request.method} ${pathname} ${request.headers.range ?? ""}`.trim());
  if (await act?.(pathname, response)) return undefined;
  const value = files.get(pathname.replace("/data", ""));
  if (!value) return response.writeHead(404).end();
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
  if (last === undefined) return response.writeHead(200).end(value);
  const start = first === "" ? value.length - Number(last) : Number(first);
  const end = first === "" ? value.length : Number(last) + 1;
  const headers = { "Content-Range": `bytes ${start}-${end - 1}/${value.length}` };
  return response.writeHead(206, headers).end(value.subarray(start, end));
}

test.beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true });
  const entry = join(FOLDER, "page.mjs");
  writeFileSync(
    entry,
    `import * as zarr from ${JSON.stringify(join(ROOT, "dist/index.js"))}; window.zarr = zarr;`,
  );
  const options = { outdir: FOLDER, bundle: true, splitting: true, format: "esm", external: ["node:*"] };
  await build({ ...options, entryPoints: { main: entry }, logLevel: "error" });
  files = await made(0);
  server = createServer(answer);
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
});

test.afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test.beforeEach(async ({ page }) => {
  act = undefined;
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => window.zarr !== undefined);
  asked.length = 0;
});

test("a tile and a series need neither the engine nor a worker", async ({ page }) => {
  const found = await page.evaluate(async () => {
    const { open, slice, info } = window.zarr;
    const array = await open(new URL("/data", location.href), { path: "sharded", kind: "array" });
    const tile = await array.get([slice(10, 12), slice(20, 22)]);
    const series = await array.get([slice(0, 2048, 512), 5], { as: "float32" });
    const { isStarted, build, workers, wire } = info();
    return {
      tile: [...tile.data],
      series: [...series.data],
      name: series.data.constructor.name,
      isStarted,
      build,
      workers,
      wire,
    };
  });
  expect(found.tile).toEqual([10260, 10261, 11284, 11285]);
  expect(found.series).toEqual([5, 5, 5, 5]);
  expect(found.name).toBe("Float32Array");
  expect(found).toMatchObject({ isStarted: false, build: "light", workers: 0 });
  expect(page.workers()).toHaveLength(0);
  // The four shards; the index of the first is kept. The document was asked for early.
  expect(found.wire.requests).toBe(asked.length - 1);
  expect(asked.filter((each) => each.includes("bytes=-"))).toHaveLength(4);
});

test("a large read starts the engine, with the same array and the same values", async ({ page }) => {
  const found = await page.evaluate(async () => {
    const { open, slice, info } = window.zarr;
    const array = await open(new URL("/data/plain", location.href), { kind: "array" });
    const before = info().build;
    const { data } = await array.get();
    const sum = data.reduce((all, value) => all + value, 0);
    const again = await array.get([7, slice(0, 3)]);
    return { before, build: info().build, isStarted: info().isStarted, sum, again: [...again.data] };
  });
  const expected = (2048 * 1024 * 65535) / 2;
  expect(found).toEqual({
    before: "light",
    build: "engine",
    isStarted: true,
    sum: expected,
    again: [7168, 7169, 7170],
  });
  expect(asked.filter((each) => each.includes("zarr.json"))).toHaveLength(1);
});

test("an answer that is not plain is the engine's to judge", async ({ page }) => {
  let failures = 0;
  act = (path, response) => {
    if (!path.endsWith("/c/0/0") || failures > 0) return false;
    failures += 1;
    return Boolean(response.writeHead(503).end());
  };
  const found = await page.evaluate(async () => {
    const { open, info } = window.zarr;
    const array = await open(new URL("/data/plain", location.href), { kind: "array" });
    const { data } = await array.get([0, 1]);
    return { value: Number(data), build: info().build };
  });
  expect(found).toEqual({ value: 1, build: "engine" });
});

test("an abort ends the requests of both, and rejects with the reason", async ({ page }) => {
  const givenUp = [];
  act = (path, response) => {
    if (!path.includes("/c/")) return false;
    response.on("close", () => givenUp.push(path));
    return true;
  };
  const found = await page.evaluate(async () => {
    const { open } = window.zarr;
    const array = await open(new URL("/data/plain", location.href), { kind: "array" });
    const controller = new AbortController();
    const reading = array.get([0, 1], { signal: controller.signal }).catch((error) => error);
    setTimeout(() => controller.abort("enough"), 200);
    return reading;
  });
  expect(found).toBe("enough");
  await expect.poll(() => givenUp.length).toBe(1);
});

test("a shard that changes between its index and its chunk is read again", async ({ page }) => {
  const other = await made(1000);
  const states = [files, other];
  let state = 0;
  act = (path, response) => {
    if (!path.includes("/sharded/c/")) return false;
    response.setHeader("ETag", `"${state}"`);
    // The next request finds another state, once.
    files = states[state];
    state = 1;
    return false;
  };
  const found = await page.evaluate(async () => {
    const { open, slice, info } = window.zarr;
    const array = await open(new URL("/data/sharded", location.href), { kind: "array" });
    const { data } = await array.get([0, slice(0, 2)]);
    return { data: [...data], build: info().build };
  });
  expect(found).toEqual({ data: [1000, 1001], build: "engine" });
  files = states[0];
});
