/**
 * Lets the light build answer what it can in every test of a process, also in Node and beside the
 * engine: the lane `light` imports it before each file. It fails if the light build does not
 * answer, because the engine would pass the tests in its place.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { dispose, info, init, open } from "zarr-wasm";

const ARRAY = JSON.stringify({
  ...{ zarr_format: 3, node_type: "array", shape: [2], data_type: "uint8", fill_value: 7 },
  chunk_grid: { name: "regular", configuration: { chunk_shape: [2] } },
  ...{ chunk_key_encoding: { name: "default" }, codecs: [{ name: "bytes" }] },
});

/** Reads an array without chunks below the root of a store. */
async function checkAnswers() {
  const server = createServer(({ url }, response) =>
    url === "/a/zarr.json" ? response.end(ARRAY) : response.writeHead(404).end(),
  );
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const array = await open(`http://127.0.0.1:${server.address().port}`, { path: "a", kind: "array" });
  assert.deepEqual([...(await array.get()).data], [7, 7]);
  const { build, isStarted } = info();
  assert.deepEqual({ build, isStarted }, { build: "light", isStarted: false });
  server.closeAllConnections();
  server.close();
  dispose();
}

await init({ light: true });
await checkAnswers();
