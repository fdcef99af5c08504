/**
 * Files that another program writes while they are read: what is read is of one version of the
 * file, or the error says that the file changed. The other program is a thread that uses `node:fs`.
 */
import assert from "node:assert/strict";
import {
  closeSync,
  mkdtempSync,
  openAsBlob,
  openSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Worker } from "node:worker_threads";
import * as zarr from "zarr-wasm";

const folders = [];
after(() => folders.forEach((folder) => void rmSync(folder, { recursive: true, force: true })));

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-changing-"));
  folders.push(folder);
  return folder;
}

/** Writes behind the bytes of a file without end, in a thread. */
async function appender(file) {
  const program = `
    const fs = require("node:fs");
    const { parentPort, workerData } = require("node:worker_threads");
    const opened = fs.openSync(workerData, "a");
    for (let turn = 0; ; turn += 1) {
      fs.writeSync(opened, Buffer.alloc(1));
      if (turn === 100) parentPort.postMessage("writing");
    }`;
  const worker = new Worker(program, { eval: true, workerData: file });
  await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  return worker;
}

/**
 * Lets another program write to each opened file in the middle of reading it, the first times.
 * Node's own `open` is replaced, because no thread could hit that moment.
 */
async function whileRead(write, times, read) {
  const { promises } = process.getBuiltinModule("node:fs");
  const { open } = promises;
  let left = times;
  const midway =
    (act) =>
    async (...args) => {
      const done = await act(...args);
      if (left > 0) {
        left -= 1;
        // Later than the time of the last change, which may be of the same tick.
        await new Promise((resolve) => setTimeout(resolve, 15));
        write();
      }
      return done;
    };
  promises.open = async (...args) => {
    const file = await open(...args);
    const { read: readPart, readFile } = file;
    return Object.assign(file, { read: midway(readPart.bind(file)), readFile: midway(readFile.bind(file)) });
  };
  try {
    return await read();
  } finally {
    promises.open = open;
  }
}

test("a file that is written in place while it is read is read again", async () => {
  const folder = newFolder();
  const path = join(folder, "value");
  writeFileSync(path, Buffer.alloc(8, 1));
  const store = new zarr.FileSystemStore(folder);
  const ranges = [
    ["get", () => store.get("/value")],
    ["suffix", () => store.getRange("/value", { suffixLength: 8 })],
    ["range", () => store.getRange("/value", { offset: 0, length: 8 })],
  ];
  for (const [name, read] of ranges) {
    let value = 1;
    const write = () => {
      value += 1;
      const file = openSync(path, "r+");
      writeSync(file, Buffer.alloc(8, value));
      closeSync(file);
    };
    const bytes = await whileRead(write, 2, read);
    assert.deepEqual([...bytes], Array(8).fill(3), name);
    // Cut to half its length, once.
    const cut = await whileRead(() => truncateSync(path, 4), 1, read);
    assert.deepEqual([...cut], Array(4).fill(3), name);
    writeFileSync(path, Buffer.alloc(8, 1));
  }
});

test("a file that changes at every attempt to read it is an error", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "value"), Buffer.alloc(32 << 20));
  const worker = await appender(join(folder, "value"));
  const store = new zarr.FileSystemStore(folder);
  try {
    let error;
    // On a busy machine the other program may rest for as long as an attempt takes.
    for (let read = 0; read < 20 && !(error instanceof Error); read += 1)
      error = await store.get("/value").catch((reason) => reason);
    assert.equal(error.code, "Store", `${error}`.slice(0, 200));
    assert.match(error.message, /changed during every attempt/);
    assert.equal(error.key, "/value");
  } finally {
    await worker.terminate();
  }
});

for (const codecs of [[], ["gzip"]]) {
  test(`a shard that another program replaced is not read by its old index: ${codecs}`, async () => {
    const folder = newFolder();
    const options = { path: "a", shape: [64], shardShape: [64], chunkShape: [8], dtype: "int32", codecs };
    const array = await zarr.create(new zarr.FileSystemStore(folder), options);
    const theirs = await zarr.open(new zarr.FileSystemStore(folder), { path: "a", kind: "array" });
    const numbers = (first) => Int32Array.from({ length: 64 }, (_, at) => first + at);
    // Every other version lacks its first half, which moves the rest of the shard.
    for (let turn = 0; turn < 6; turn += 1) {
      const data = numbers(100 * turn);
      if (turn % 2 === 1) data.fill(0, 0, 32);
      await theirs.set(null, data);
      assert.deepEqual((await array.get()).data, data, `turn ${turn}`);
      const part = [zarr.slice(40, 50)];
      assert.deepEqual((await array.get(part)).data, data.slice(40, 50), `turn ${turn}`);
    }
  });
}

test("a chosen file that has changed since says that it must be chosen again", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "value"), "before");
  const file = Object.assign(await openAsBlob(join(folder, "value")), { name: "value" });
  const store = new zarr.FileListStore([file]);
  assert.equal(Buffer.from(await store.get("/value")).toString(), "before");
  await new Promise((resolve) => setTimeout(resolve, 20));
  writeFileSync(join(folder, "value"), "afterwards");
  for (const read of [store.get("/value"), store.getRange("/value", { offset: 1, length: 2 })]) {
    const error = await read.catch((reason) => reason);
    assert.equal(error.code, "Store", String(error));
    assert.match(error.message, /choose it again/);
  }
});

for (const name of ["NotReadableError", "NotFoundError", "AbortError"]) {
  test(`an entry whose file has changed since it was found is found again (${name})`, async () => {
    let found = 0;
    const entry = {
      file(resolve) {
        found += 1;
        const file = new Blob(["value"]);
        const changed = () => Promise.reject(new DOMException("it has changed", name));
        resolve(found < 3 ? Object.assign(file, { arrayBuffer: changed }) : file);
      },
    };
    const store = new zarr.EntryStore({ getFile: (_path, _options, resolve) => resolve(entry) });
    assert.equal(Buffer.from(await store.get("/value")).toString(), "value");
    assert.equal(found, 3);
  });
}
