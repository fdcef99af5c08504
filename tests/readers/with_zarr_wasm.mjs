/** The built package reads arrays. */
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";
import { base64, drive } from "./driver.mjs";

const NAME = ({ name } = {}) => name;

/** `fetch` with the files of one host on another. */
const mirrored =
  ([host, mirror]) =>
  (request) =>
    fetch(
      request.url.startsWith(host) ? new Request(mirror + request.url.slice(host.length), request) : request,
    );

function referencesOf({ store, dialect, mirror }) {
  if (dialect === "json") return zarr.ReferenceStore.fromUrl(store);
  return new zarr.ReferenceStore(new URL(store), {
    fetch: mirrored(mirror),
    allowHosts: [new URL(mirror[0]).host],
  });
}

/** The array's store: a folder, an archive, references or a repository. */
export async function storeOf(array) {
  const { kind, store, options } = array;
  if (array.consolidated) return zarr.withConsolidatedMetadata(new FileSystemStore(store));
  if (kind === "folder") return new FileSystemStore(store);
  if (kind === "http") return new zarr.FetchStore(store);
  if (kind === "zip") return zarr.ZipFileStore.fromUrl(store);
  if (kind === "references") return referencesOf(array);
  if (kind === "icechunk") return new zarr.IcechunkStore(store, options);
  throw new Error(`no such store: ${kind}`);
}

/** An element as `values_json` has it. */
function jsonElement(type, value) {
  const name = NAME(type) ?? type;
  if (name === "zarrs.optional") return value === null ? null : [jsonElement(type.configuration.name, value)];
  if (value instanceof Uint8Array && name === "bytes") return base64(value);
  return ArrayBuffer.isView(value) ? Array.from(value, Number) : value;
}

/** Year, month, day, hour, minute and second of counts of time. */
async function datesOf(array) {
  const { data } = await array.get();
  const time = await zarr.timeUnits(array.attrs.units, array.attrs.calendar);
  const moments = await time.moments(data);
  return {
    numbers: moments.flatMap(({ year, month, day, hour, minute, second }) => [
      year,
      month,
      day,
      hour,
      minute,
      second,
    ]),
  };
}

/** The coordinates of the first and the last element of each level of a pyramid. */
async function levelsOf(store, { levels }) {
  const pyramid = await zarr.pyramid(await zarr.open(store, { kind: "group" }));
  const ends = (shape) => [shape.map(() => 0), shape.map((extent) => extent - 1)];
  return {
    numbers: levels.flatMap(({ shape }, at) => ends(shape).flatMap((index) => pyramid.toWorld(index, at))),
  };
}

export async function read(array) {
  if (array.levels) return levelsOf(await storeOf(array), array);
  const opened = await zarr.open(await storeOf(array), { path: array.path, kind: "array" });
  if (array.dates) return datesOf(opened);
  if (array.decoded) {
    const { data, shape } = await opened.get(null, { decode: "cf" });
    return { shape, values: base64(data) };
  }
  if (array.variable) {
    const { data, shape } = await opened.get();
    return { shape, json: Array.from(data, (value) => jsonElement(array.type, value)) };
  }
  const { data, shape } = await opened.get(null, { as: "bytes" });
  return { shape, values: base64(data) };
}

if (import.meta.filename === process.argv[1]) await drive(read);
