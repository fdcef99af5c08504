/** zarr.js reads arrays of version 2, from a folder and over HTTP. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { bitsAt, drive, places, required } from "./driver.mjs";

const { HTTPStore, KeyError, openArray } = required("zarr");

/** A store of zarr.js's form on a folder; it has none of its own. */
class Folder {
  constructor(path) {
    this.path = path;
  }

  async getItem(key) {
    try {
      const bytes = await readFile(join(this.path, key));
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    } catch {
      throw new KeyError(key);
    }
  }

  async containsItem(key) {
    return this.getItem(key).then(
      () => true,
      () => false,
    );
  }
}

function storeOf({ kind, store, consolidated }) {
  if (consolidated) throw new Error("it has no such concept");
  if (kind === "folder") return new Folder(store);
  if (kind === "http") return new HTTPStore(store);
  throw new Error(`has no store for ${kind}`);
}

await drive(async (array) => {
  const opened = await openArray({ store: storeOf(array), path: array.path, mode: "r" });
  if (opened.shape.length === 0) {
    const value = await opened.getRaw();
    throw new Error(`an array without dimensions is ${value}`);
  }
  const { data, shape, strides } = await opened.getRaw();
  return { shape, values: bitsAt(data, places(shape, strides)) };
});
