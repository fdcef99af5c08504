/** Writing in a page: workers encode, and concurrent writes to one chunk wait for each other. */
import * as zarr from "zarr-wasm";
import { equal, ok, rejects, test } from "./harness.mjs";
import { privateFolder, removePrivateFolder } from "./private_folder.mjs";

test("a large write is encoded by blob workers", async () => {
  const array = await zarr.create(new Map(), { shape: [1024, 1024], dtype: "float64" });
  const data = Float64Array.from({ length: 1 << 20 }, (_, at) => Math.sqrt(at));
  const before = zarr.info().encoded;
  await array.set(null, data);
  const { decoder, encoded } = zarr.info();
  equal(decoder, "blob");
  ok(encoded.workers >= before.workers + 8 && encoded.caller === before.caller, JSON.stringify(zarr.info()));
  const read = await array.get();
  ok(read.data.every((value, at) => value === data[at]));
});

test("writing does not change or detach the caller's arrays", async () => {
  const array = await zarr.create(new Map(), {
    shape: [512, 512],
    chunkShape: [512, 512],
    dtype: "float32",
    shards: null,
  });
  const data = new Float32Array(512 * 512).fill(1);
  await array.set(null, data);
  equal(data.length, 512 * 512);
  await rejects(array.set([0, 0], 1n), (error) => error.code === "Argument");
});

function write(name, places) {
  const worker = new Worker(new URL("./writing_worker.mjs", import.meta.url));
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => (data === "done" ? resolve() : reject(new Error(data)));
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage({ name, places });
  }).finally(() => worker.terminate());
}

test("two workers and the page write to one chunk, and nothing is lost", async () => {
  const name = "writing-test";
  await removePrivateFolder(name);
  const store = privateFolder(name);
  const array = await zarr.create(store, { shape: [48], chunkShape: [24], dtype: "int32" });
  const placesOf = (turn) => Array.from({ length: 16 }, (_, at) => 3 * at + turn);
  const here = async () => {
    for (const place of placesOf(2)) await array.set([place], place + 1);
  };
  await Promise.all([write(name, placesOf(0)), write(name, placesOf(1)), here()]);
  const { data } = await array.get();
  equal(
    Array.from(data),
    Array.from({ length: 48 }, (_, at) => at + 1),
  );
  await removePrivateFolder(name);
});
