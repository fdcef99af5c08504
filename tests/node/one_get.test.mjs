/**
 * The files that run in one `get`, against the list in ARCHITECTURE.md. The array is read by HTTP
 * for the second time, so that its metadata are parsed and its server is known.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { calledFiles, hasNames } from "../support/called_files.mjs";

const zarr = await import("zarr-wasm");

const METADATA = {
  zarr_format: 3,
  node_type: "array",
  shape: [4, 4],
  data_type: "float32",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [2, 2] } },
  chunk_key_encoding: { name: "default" },
  fill_value: 0,
  codecs: [
    { name: "bytes", configuration: { endian: "little" } },
    { name: "gzip", configuration: { level: 1 } },
  ],
};
const CHUNK = gzipSync(new Uint8Array(Float32Array.of(1, 2, 3, 4).buffer));

let server;
let array;

before(async () => {
  server = createServer(({ url }, response) => {
    const body = url === "/zarr.json" ? Buffer.from(JSON.stringify(METADATA)) : CHUNK;
    response.writeHead(200, { "content-length": body.length }).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  await zarr.init({ workers: 0 });
  array = await zarr.open(`http://127.0.0.1:${server.address().port}/`);
  await array.get([zarr.slice(2, 4), null]);
});

after(() => {
  zarr.dispose();
  server.close();
});

/** The files of the table of ARCHITECTURE.md, whose rows are a room and the files in it. */
function listedFiles() {
  const text = readFileSync(new URL("../../ARCHITECTURE.md", import.meta.url), "utf8");
  const [, section] = /^### Files that run in one `get`$([\s\S]*?)^#/m.exec(text);
  const rows = [...section.matchAll(/^\| `(src\/[^`]+)` \| (.*) \|$/gm)];
  return rows.flatMap(([, room, files]) =>
    [...files.matchAll(/`([^`]+)`/g)].map(([, file]) => `${room}/${file}`),
  );
}

test("ARCHITECTURE.md lists the files that run in one get", async (context) => {
  if (!hasNames()) return context.skip("a release build has no names of functions");
  let chunk;
  const ran = await calledFiles(async () => {
    chunk = await array.get([zarr.slice(0, 2), null]);
  });
  assert.deepEqual([...chunk.data], [1, 2, 1, 2, 3, 4, 3, 4]);
  const listed = listedFiles();
  const without = (files, others) => files.filter((file) => !others.includes(file));
  assert.deepEqual(without(ran, listed), [], "files that ran and are not listed");
  // What Rust's compiler inlines differs between builds.
  const idle = without(listed, ran).filter((file) => file.endsWith(".ts"));
  assert.deepEqual(idle, [], "files that are listed and did not run");
});
