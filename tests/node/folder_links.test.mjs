/**
 * Folders whose links lead in circles or multiply, and files that are none, in `FileSystemStore`: a
 * listing ends, and no thread waits for a named pipe.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import * as zarr from "zarr-wasm";
import FileSystemStore from "zarr-wasm/fs";

const made = [];
after(() => Promise.all(made.map((folder) => rm(folder, { recursive: true }))));

async function folder() {
  const root = await mkdtemp(join(tmpdir(), "zarr-links-"));
  made.push(root);
  return { root, store: new FileSystemStore(root) };
}

const all = async (keys) => {
  const listed = [];
  for await (const key of keys) listed.push(key);
  return listed.sort();
};

const pathsOf = async (nodes) => {
  const paths = [];
  for await (const node of nodes) paths.push(node.path);
  return paths.sort();
};

test("links to the folder itself and above are not listed", async () => {
  const { root, store } = await folder();
  await zarr.create(store);
  await zarr.create(store, { path: "a", shape: [1], chunkShape: [1], dtype: "uint8" });
  await mkdir(join(root, "empty"));
  for (const name of ["one", "two", "a/up", "empty/one", "empty/two"]) await symlink(root, join(root, name));
  const group = await zarr.open(store, { kind: "group" });
  assert.deepEqual(await pathsOf(group.children()), ["/a"]);
  assert.deepEqual(await all(store.list()), ["/a/zarr.json", "/zarr.json"]);
});

test("a folder with two names is listed under both", async () => {
  const { root, store } = await folder();
  await zarr.create(store);
  const array = await zarr.create(store, { path: "a", shape: [1], chunkShape: [1], dtype: "uint8" });
  await array.set(null, new Uint8Array([7]));
  await symlink(join(root, "a"), join(root, "b"));
  const group = await zarr.open(store, { kind: "group" });
  assert.deepEqual(await pathsOf(group.children()), ["/a", "/b"]);
  const keys = ["/a/c/0", "/a/zarr.json", "/b/c/0", "/b/zarr.json", "/zarr.json"];
  assert.deepEqual(await all(store.list()), keys);
  assert.deepEqual([...(await (await zarr.open(store, { path: "b" })).get()).data], [7]);
});

/** Folders of which each has two links to the next: 2^depth paths lead to the last one. */
async function chain(depth, fill) {
  const { root, store } = await folder();
  for (let at = 0; at <= depth; at += 1) await mkdir(join(root, "all", `${at}`), { recursive: true });
  for (let at = 0; at < depth; at += 1)
    for (const name of ["x", "y"])
      await symlink(join(root, "all", `${at + 1}`), join(root, "all", `${at}`, name));
  if (fill) await store.set(`/all/${depth}/value`, new Uint8Array(1));
  return store;
}

test("links that multiply: the search for a value visits each folder once", async () => {
  const empty = await chain(30, false);
  assert.deepEqual(await empty.listDir("/"), { keys: [], prefixes: [] });
  const full = await chain(30, true);
  assert.deepEqual((await full.listDir("/all/0")).prefixes, ["/all/0/x/", "/all/0/y/"]);
});

test("a named pipe is no value", { skip: process.platform === "win32" }, async () => {
  const { root, store } = await folder();
  await zarr.create(store, { shape: [8], chunkShape: [1], dtype: "uint8", fillValue: 3 });
  await mkdir(join(root, "c"));
  // Node has four threads for files. Each would wait for a writer.
  for (let at = 0; at < 8; at += 1) execFileSync("mkfifo", [join(root, "c", `${at}`)]);
  assert.equal(await store.get("/c/0"), undefined);
  assert.equal(await store.getRange("/c/1", { offset: 0, length: 1 }), undefined);
  assert.equal(await store.has("/c/0"), false);
  assert.deepEqual(await all(store.list()), ["/zarr.json"]);
  const array = await zarr.open(store, { kind: "array" });
  assert.deepEqual([...(await array.get()).data], new Array(8).fill(3));
});
