/** zarrita reads arrays, with the stores of `@zarrita/storage`. */
import FetchStore from "@zarrita/storage/fetch";
import FileSystemStore from "@zarrita/storage/fs";
import ReferenceStore from "@zarrita/storage/ref";
import ZipFileStore from "@zarrita/storage/zip";
import * as zarrita from "zarrita";
import { base64, bitsAt, drive, paddedText, places } from "./driver.mjs";

async function storeOf({ kind, store, dialect, consolidated, format }) {
  if (consolidated) return zarrita.withConsolidatedMetadata(new FileSystemStore(store), { format });
  if (kind === "folder") return new FileSystemStore(store);
  if (kind === "http") return new FetchStore(store);
  if (kind === "zip") return ZipFileStore.fromUrl(store);
  if (kind === "references" && dialect === "json") return ReferenceStore.fromUrl(store);
  throw new Error(`has no store for ${kind}`);
}

/** The bytes of v2's `S`. Their text would be decoded as UTF-8, which they need not be. */
function textBytes({ buffer, byteOffset, chars }, at) {
  const bytes = new Uint8Array(buffer, byteOffset);
  return base64(Buffer.concat(at.map((place) => bytes.subarray(place * chars, (place + 1) * chars))));
}

/** The elements of a chunk or a selection, as a line has them. */
function lineOf({ type, variable }, { data, shape, stride }) {
  const at = places(shape, stride);
  if (ArrayBuffer.isView(data)) return { shape, values: bitsAt(data, at) };
  if (data instanceof zarrita.ByteStringArray && !variable) return { shape, values: textBytes(data, at) };
  const elements = Array.isArray(data) ? at.map((place) => data[place]) : at.map((place) => data.get(place));
  if (variable)
    return { shape, json: elements.map((value) => (value instanceof Uint8Array ? base64(value) : value)) };
  if (typeof elements[0] === "boolean") return { shape, values: base64(Uint8Array.from(elements)) };
  return { shape, values: elements.length > 0 ? paddedText(type, elements) : "" };
}

/** Reads an array of a store of zarrita's form. */
export async function readFrom(store, array) {
  const location = zarrita.root(store).resolve(array.path);
  const opened = await zarrita.open(location, { kind: "array" });
  // `get` gives a JavaScript value for an array without dimensions, which has no bits.
  return lineOf(array, await (opened.shape.length === 0 ? opened.getChunk([]) : zarrita.get(opened)));
}

if (import.meta.filename === process.argv[1])
  await drive(async (array) => {
    const path = `${array.inside ?? ""}${array.path}`;
    return readFrom(await storeOf(array), { ...array, path });
  });
