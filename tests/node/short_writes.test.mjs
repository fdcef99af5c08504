/**
 * Folders of browsers whose files take fewer bytes than they are given, as when the storage is
 * full. What was cut is never moved into place. The folders are made here: no browser cuts a write
 * when a test wants it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "zarr-wasm";

const named = (name) => Object.assign(new Error(name), { name });

/** A file in memory. `most(written)` is the number of bytes that one write may take. */
class MemoryFile {
  kind = "file";
  bytes = new Uint8Array(0);

  constructor(folder, name) {
    this.folder = folder;
    this.name = name;
    if (folder.moves) this.move = this.#move;
  }

  async #move(folder, name) {
    this.folder.entriesByName.delete(this.name);
    this.name = name;
    folder.entriesByName.set(name, this);
  }

  async getFile() {
    return new File([this.bytes], this.name, { lastModified: 1 });
  }

  async createSyncAccessHandle() {
    return {
      truncate: (size) => {
        this.bytes = this.bytes.slice(0, size);
      },
      write: (bytes, { at }) => {
        const count = Math.min(bytes.length, this.folder.most(at));
        const grown = new Uint8Array(Math.max(this.bytes.length, at + count));
        grown.set(this.bytes);
        grown.set(bytes.subarray(0, count), at);
        this.bytes = grown;
        return count;
      },
      flush() {},
      close() {},
    };
  }
}

/** A folder in memory. `moves`: its files have a method `move`, as those of newer browsers. */
class MemoryFolder {
  kind = "directory";
  entriesByName = new Map();
  most = () => Number.POSITIVE_INFINITY;

  constructor(moves) {
    this.moves = moves;
  }

  async getFileHandle(name, { create } = {}) {
    const known = this.entriesByName.get(name);
    if (known) return known;
    if (!create) throw named("NotFoundError");
    const file = new MemoryFile(this, name);
    this.entriesByName.set(name, file);
    return file;
  }

  async getDirectoryHandle() {
    throw named("NotFoundError");
  }

  async removeEntry(name) {
    if (!this.entriesByName.delete(name)) throw named("NotFoundError");
  }

  async *entries() {
    yield* this.entriesByName;
  }
}

for (const moves of [true, false]) {
  const how = moves ? "moved into place" : "written in place";

  test(`a write that takes some of the bytes goes on with the rest; a file is ${how}`, async () => {
    const folder = new MemoryFolder(moves);
    folder.most = () => 7;
    const store = new zarr.DirectoryStore(folder);
    const value = Uint8Array.from({ length: 100 }, (_, at) => at);
    await store.set("/a", value);
    assert.deepEqual(await store.get("/a"), value);
  });

  test(`a file of which a part cannot be written is an error, and is not there; it is ${how}`, async () => {
    const folder = new MemoryFolder(moves);
    const store = new zarr.DirectoryStore(folder);
    folder.most = (at) => Math.max(0, 60 - at);
    const full = { code: "Store", key: "/a", expected: "100 bytes", actual: "60 bytes" };
    await assert.rejects(store.set("/a", new Uint8Array(100)), full);
    assert.deepEqual([...folder.entriesByName.keys()], []);
    await assert.rejects(zarr.create(store, { shape: [1], dtype: "uint8" }), (error) => {
      assert.equal(error.code, "Store");
      assert.match(error.message, /not written whole/);
      return true;
    });
    assert.deepEqual([...folder.entriesByName.keys()], []);
    assert.equal(await zarr.exists(store), null);
  });
}

test("an old file stays where the new one cannot be written", async () => {
  const folder = new MemoryFolder(true);
  const store = new zarr.DirectoryStore(folder);
  await store.set("/a", Uint8Array.of(1, 2, 3));
  folder.most = () => 0;
  await assert.rejects(store.set("/a", Uint8Array.of(4, 5, 6)), { code: "Store" });
  assert.deepEqual(await store.get("/a"), Uint8Array.of(1, 2, 3));
  assert.deepEqual([...folder.entriesByName.keys()], ["a"]);
});
