/** Every array of every good fixture, read over HTTP by the package as a page has it. */
import * as zarr from "zarr-wasm";
import { fixture, ok, test } from "./harness.mjs";

// Only the names: what the folders hold is fetched.
const names = import.meta
  .webpackContext("../fixtures", {
    regExp: /^\.\/(?!bad|demo|make)[^/]+\/[^/]+\/expected\.json$/,
    mode: "weak",
  })
  .keys();

const bytesOf = (base64) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

/** Elements as bytes; where there is no Float16Array halves arrive as other bytes, and are not compared here. */
function packed({ data }, dtype) {
  if (dtype === "float16" && data.BYTES_PER_ELEMENT !== 2) return undefined;
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

const isReadable = ({ kind, data_type: dtype }) =>
  kind === "array" && /^(bool|u?int(8|16|32|64)|float(16|32|64))$/.test(dtype);

for (const name of names) {
  const folder = name.slice(2).replace(/\/expected\.json$/, "");
  test(`fixture ${folder}`, async () => {
    const nodes = await (await fetch(fixture(`${folder}/expected.json`))).json();
    const store = new zarr.FetchStore(fixture(`${folder}/store`));
    for (const expected of nodes.filter(isReadable)) {
      const array = await zarr.open(store, { path: expected.path, kind: "array" });
      const actual = packed(await array.get(), expected.data_type);
      const values = bytesOf(expected.values);
      const isSame =
        actual === undefined ||
        (actual.length === values.length && actual.every((byte, at) => byte === values[at]));
      ok(isSame, `${expected.path} differs`);
    }
  });
}
