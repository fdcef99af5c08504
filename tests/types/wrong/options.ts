/**
 * Calls with options that do not exist. None compiles, and `tests/types.mjs` reads what the
 * compiler says of them: the option, and never the location, which is right.
 */
import * as zarr from "zarr-wasm";

declare const array: zarr.Array;
declare const group: zarr.Group<zarr.Readable>;
const store = new Map<string, Uint8Array>();

zarr.open("https://host/a.zarr", { knd: "array" });
zarr.open(store, { knd: "array" });
zarr.open.v3(group.resolve("a"), { knd: "array" });
zarr.create("https://host/a.zarr", { shape: [1], dtype: "int8", knd: "array" });
zarr.create(store, { knd: "group" });
zarr.create(group.resolve("a"), { shape: [1], dtype: "int8", knd: "array" });
zarr.exists(store, { knd: "array" });
zarr.erase("https://host/a.zarr", { knd: "array" });
zarr.copy(array, store, { knd: "array" });
array.get(null, { knd: "array" });
array.stream(null, { knd: "array" });
zarr.get(array, null, { knd: "array" });
zarr.reduce(array, null, { op: "mean", knd: "array" });
zarr.pyramid(group, { knd: "array" });
