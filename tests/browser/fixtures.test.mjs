/** Reads every array of every good fixture over HTTP, with the bundled package. */
import * as zarr from "zarr-wasm";
import { fixture, ok, test } from "./harness.mjs";

// Only the names: the tests fetch what the unpacked folders hold.
const names = import.meta
  .webpackContext("../fixtures", {
    regExp: /^\.\/(?!bad|make|unreadable)[^/]+\/[^/]+\/expected\.json$/,
    mode: "weak",
  })
  .keys();
if (names.length === 0) throw new Error("tests/fixtures has no cases");

const bytesOf = (base64) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

async function isAsWritten(array, { values, values_json: variable, data_type: dtype }) {
  if (variable === undefined) {
    const [{ data }, expected] = [await array.get(null, { as: "bytes" }), bytesOf(values)];
    return data.length === expected.length && data.every((byte, at) => byte === expected[at]);
  }
  const { data } = await array.get();
  if (dtype !== "string") return data.length === variable.length;
  return data.length === variable.length && data.every((text, at) => text === variable[at]);
}

for (const name of names) {
  const folder = name.slice(2).replace(/\/expected\.json$/, "");
  test(`fixture ${folder}`, async () => {
    const nodes = await (await fetch(fixture(`${folder}/expected.json`))).json();
    const store = new zarr.FetchStore(fixture(`${folder}/store`));
    for (const expected of nodes.filter(({ kind }) => kind === "array")) {
      const array = await zarr.open(store, { path: expected.path, kind: "array" });
      ok(await isAsWritten(array, expected), `${expected.path} differs`);
    }
  });
}
