/** Reductions in browsers: blob workers reduce what they decode, and the answers are the same. */
import * as zarr from "zarr-wasm";
import { growingArray } from "../support/growing_objects.mjs";
import { equal, test } from "./harness.mjs";

const ROWS = 64;
const COLUMNS = 1 << 16;

async function made() {
  const store = new Map();
  const array = await zarr.create(store, {
    shape: [ROWS, COLUMNS],
    chunkShape: [4, COLUMNS / 4],
    dtype: "float32",
    dimensionNames: ["y", "x"],
    codecs: [
      { name: "bytes", configuration: { endian: "little" } },
      { name: "zstd", configuration: { level: 1 } },
    ],
  });
  const values = Float32Array.from(
    { length: ROWS * COLUMNS },
    (_, at) => (at % 1000) + Math.floor(at / COLUMNS),
  );
  values[5] = Number.NaN;
  await array.set(null, values);
  // Opened anew, so that nothing of it is decoded yet.
  return { array: await zarr.open(new Map(store), { kind: "array" }), values };
}

test("reductions: decode workers reduce, and count what they used", async () => {
  const { array, values } = await made();
  const before = zarr.info().parts.workers;
  const { mean, max } = await zarr.reduce(array, null, { op: ["mean", "max"], over: "x" });
  equal([mean.shape, mean.dimensionNames], [[ROWS], ["y"]]);
  equal([mean.count[0], mean.count[1]], [COLUMNS - 1, COLUMNS]);
  for (let row = 0; row < ROWS; row += 1) {
    const own = values.subarray(row * COLUMNS, (row + 1) * COLUMNS).filter((value) => !Number.isNaN(value));
    const sum = own.reduce((sum, value) => sum + value, 0);
    equal(Math.abs(mean.data[row] - sum / own.length) < 1e-9, true);
    equal(max.data[row], Math.max(...own.slice(0, 2000)));
  }
  equal(zarr.info().parts.workers > before, true);
});

test("reductions: a part that is cached, or has no codec, gives the same bits", async () => {
  const { array } = await made();
  const bits = async () => {
    const { data } = await zarr.reduce(array, { y: zarr.slice(0, 3) }, { op: "var", over: "x" });
    return [...new Uint8Array(data.buffer)];
  };
  const first = await bits();
  await array.get({ y: zarr.slice(0, 3) });
  equal(await bits(), first);
});

test("watch: the server confirms metadata, and only the chunk at the old edge is read anew", async () => {
  const url = `${location.origin}/growing/a.zarr`;
  const put = (name, body) => fetch(`${url}/${name}`, { method: "PUT", body, cache: "no-store" });
  const requests = async () => (await fetch("/growing-requests")).json();
  const of = (all, name) =>
    all.filter((one) => one.startsWith(`a.zarr/${name} `)).map((one) => one.slice(-3));
  await put("zarr.json", growingArray(6));
  await put("c/0", Uint8Array.of(1, 2, 3, 4));
  await put("c/1", Uint8Array.of(5, 6, 0, 0));
  const array = await zarr.open(url, { kind: "array" });
  equal([...(await array.get()).data], [1, 2, 3, 4, 5, 6]);
  // The page's own second fetch tells whether this browser's HTTP cache asks by ETag: WebKitGTK
  // without a disk cache does not.
  for (const _time of [0, 1]) await (await fetch(`${url}/zarr.json`, { cache: "no-cache" })).text();
  const answer = of(await requests(), "zarr.json").at(-1);
  const ending = new AbortController();
  const changes = zarr.watch(array, { interval: 60, signal: ending.signal });
  const change = changes.next();
  // Some answers without news come first.
  const quiet = [];
  while (of(quiet, "zarr.json").length < 2) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    quiet.push(...(await requests()));
  }
  equal([...new Set(of(quiet, "zarr.json"))], [answer]);
  equal(quiet.length, of(quiet, "zarr.json").length);
  await put("c/1", Uint8Array.of(5, 6, 7, 8));
  await put("c/2", Uint8Array.of(9, 0, 0, 0));
  await put("zarr.json", growingArray(9));
  equal((await change).value.shape, [9]);
  equal([...(await array.get()).data], [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const news = await requests();
  equal([of(news, "c/1"), of(news, "c/2")], [["200"], ["200"]]);
  // The HTTP cache of the browser has it, if it has one, and maybe the engine's.
  if (answer === "304") equal(of(news, "c/0"), []);
  ending.abort();
  await changes.return();
});
