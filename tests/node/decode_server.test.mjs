/**
 * The decoder's end of the pool's messages, with the real wasm. The tests of the pool are beside
 * its code.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../scripts/run_command.mjs";
import { importSource } from "./bundled.mjs";

const { DecodeServer } = await importSource("engine/ts/host/decode/decode_server.ts");

/** A v3 array of bytes with the fill value 5. */
const EMPTY_ARRAY = JSON.stringify({
  zarr_format: 3,
  texts: [
    [
      "zarr.json",
      JSON.stringify({
        zarr_format: 3,
        node_type: "array",
        shape: [4],
        data_type: "uint8",
        chunk_grid: { name: "regular", configuration: { chunk_shape: [4] } },
        chunk_key_encoding: { name: "default" },
        fill_value: 5,
        codecs: [{ name: "bytes" }],
      }),
    ],
  ],
});

test("an instance with too much memory restarts when it has no part in progress", async () => {
  const module = await WebAssembly.compile(readFileSync(join(ROOT, "dist/zarr_wasm.wasm")));
  const { instantiate } = WebAssembly;
  let instances = 0;
  WebAssembly.instantiate = (...given) => {
    instances += 1;
    return instantiate(...given);
  };
  try {
    for (const [recycleBytes, expected] of [
      [1 << 30, 1],
      [1 << 16, 3],
    ]) {
      instances = 0;
      const answers = [];
      const server = new DecodeServer((answer) => answers.push(answer));
      await server.handle({ type: "module", build: "engine", module, recycleBytes });
      await server.handle({ type: "bind", array: 7, build: "engine", document: EMPTY_ARRAY });
      // Without supplies the parts have the fill value.
      for (const id of [1, 2, 3]) {
        const begin = { array: 7, build: "engine", header: Uint32Array.of(1, 4, 0) };
        await server.handle({ type: "read", id, begin, supplies: [], answers: [], end: {} });
      }
      const done = answers.filter(({ type }) => type === "done").map(({ result }) => [...result]);
      assert.deepEqual(done, Array(3).fill([5, 5, 5, 5]), JSON.stringify(answers));
      assert.equal(instances, expected);
    }
  } finally {
    WebAssembly.instantiate = instantiate;
  }
});

test("two builds know an array by one number, and both drop it", async () => {
  const module = await WebAssembly.compile(readFileSync(join(ROOT, "dist/zarr_wasm_full.wasm")));
  const answers = [];
  const server = new DecodeServer((answer) => answers.push(answer));
  let id = 0;
  const read = async (build) => {
    id += 1;
    const begin = { array: 7, build, header: Uint32Array.of(1, 4, 0) };
    await server.handle({ type: "read", id, begin, supplies: [], answers: [], end: {} });
    const { type, result } = answers.at(-1);
    return type === "done" ? [...result] : type;
  };
  for (const build of ["engine", "full"])
    await server.handle({ type: "module", build, module, recycleBytes: 1 << 30 });
  await server.handle({ type: "bind", array: 7, build: "engine", document: EMPTY_ARRAY });
  for (const build of ["full", "engine", "full"]) assert.deepEqual(await read(build), [5, 5, 5, 5]);
  await server.handle({ type: "unbind", array: 7 });
  for (const build of ["full", "engine"]) assert.equal(await read(build), "failed");
});
