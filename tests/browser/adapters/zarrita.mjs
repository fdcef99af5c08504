/**
 * `zarr-wasm/zarrita`: arrays that zarrita opens, read with zarrita's `get`, and decoded in our
 * workers. Elements are what zarr-python reads.
 */
import * as zarr from "zarr-wasm";
import { decodeInWorkers } from "zarr-wasm/zarrita";
import * as zarrita from "zarrita";
import { VIEWS } from "../../support/number_views.mjs";
import { equal, fixture, ok, rejects, test } from "../harness.mjs";
import { brokenStore, expected, isDocument, until, urlOf } from "./page.mjs";

/** Returns the elements of a chunk in C order, by its strides. */
function inOrder({ data, shape, stride }) {
  const found = [];
  const visit = (axis, from) => {
    if (axis === shape.length) found.push("get" in data ? data.get(from) : data[from]);
    else for (let at = 0; at < shape[axis]; at += 1) visit(axis + 1, from + at * stride[axis]);
  };
  visit(0, 0);
  return found;
}

/**
 * Returns the values that zarr-python reads: numbers, booleans or text. Undefined for other types.
 */
function written({ data_type: type, values, values_json: variable }) {
  if (type === "string") return variable;
  const bytes =
    values === undefined ? undefined : Uint8Array.from(atob(values), (char) => char.charCodeAt(0));
  if (!bytes || !(type in VIEWS)) return undefined;
  const elements = Array.from(new VIEWS[type](bytes.buffer));
  return type === "bool" ? elements.map(Boolean) : elements;
}

const same = (one, other) =>
  one.length === other.length && one.every((value, at) => Object.is(value, other[at]));

const partsOf = ({ parts }) => parts.workers + parts.caller;

/**
 * Waits until the engine reports this number of decoded parts. The engine is a worker, which
 * decodes small parts itself.
 */
async function haveDecoded(parts) {
  await until(() => partsOf(zarr.info()) >= parts, `${parts} parts, not ${partsOf(zarr.info())}`);
  equal(zarr.info().engine, "blob", "the engine's place");
}

const CASES = [
  "dtypes-v2",
  "dtypes-v3",
  "dtypes-variable-v3",
  "sharding-v3",
  "transpose-v3",
  "codecs-v2",
  "blosc-v3",
];

for (const name of CASES) {
  test(`zarrita: its get reads zarr-python's ${name} through our workers`, async () => {
    const folder = `zarr-python-3/${name}`;
    const nodes = await (await fetch(fixture(`${folder}/expected.json`))).json();
    const location = zarrita.root(new zarrita.FetchStore(fixture(`${folder}/store`)));
    const before = partsOf(zarr.info());
    let read = 0;
    for (const node of nodes) {
      const elements =
        node.kind === "array" && node.shape.length > 0 && !node.shape.includes(0) ? written(node) : undefined;
      if (!elements) continue;
      const theirs = await zarrita.open(location.resolve(node.path), { kind: "array" });
      const array = await zarrita.extendArray(theirs, decodeInWorkers);
      ok(array instanceof zarrita.Array, "it is zarrita's array");
      equal([array.shape, array.dtype], [theirs.shape, theirs.dtype], node.path);
      ok(same(inOrder(await zarrita.get(array)), elements), `${node.path} differs`);
      read += 1;
    }
    ok(read > 0, "no array was read");
    await haveDecoded(before + 1);
  });
}

test("zarrita: a store's arrayExtensions apply it to every array", async () => {
  const { values } = await expected("three-channels");
  const store = zarrita.defineStoreExtension(() => ({ arrayExtensions: [decodeInWorkers] }))(
    new zarrita.FetchStore(urlOf("three-channels")),
  );
  const before = partsOf(zarr.info());
  const array = await zarrita.open(zarrita.root(store).resolve("s0"), { kind: "array" });
  const { data, shape } = await zarrita.get(array, [
    1,
    zarrita.slice(8, null, 16),
    zarrita.slice(8, null, 16),
  ]);
  equal([...data], values[1].flat(), "every sixteenth element");
  equal(shape, [6, 8], "shape");
  await haveDecoded(before + 1);
});

test("zarrita: bytes come from the array's own store, and codecs of zarrita are not asked", async () => {
  const keys = [];
  const files = new zarrita.FetchStore(urlOf("three-channels"));
  const store = {
    get(key, options) {
      keys.push(key);
      return files.get(key, options);
    },
  };
  const own = zarrita.registry.get("numcodecs.zstd");
  zarrita.registry.set("numcodecs.zstd", async () => {
    throw new Error("zarrita's codec was asked");
  });
  try {
    const theirs = await zarrita.open.v2(zarrita.root(store).resolve("s0"), { kind: "array" });
    await rejects(zarrita.get(theirs), (error) =>
      /zarrita's codec was asked/.test(`${error} ${error.cause}`),
    );
    keys.length = 0;
    await zarrita.get(await decodeInWorkers(theirs), [0, 0, 0]);
    equal(
      keys.filter((key) => !isDocument(key)),
      ["/s0/0/0/0"],
      "keys of chunks",
    );
  } finally {
    zarrita.registry.set("numcodecs.zstd", own);
  }
});

test("zarrita: aborts and the store's errors reach the caller", async () => {
  const place = zarrita.root(brokenStore("three-channels", "the disk is gone")).resolve("s0");
  const array = await decodeInWorkers(await zarrita.open.v2(place, { kind: "array" }));
  const error = await rejects(zarrita.get(array));
  ok(
    [error, error.cause].some((said) => /the disk is gone/.test(String(said))),
    String(error),
  );
  const controller = new AbortController();
  const reading = array.getChunk([0, 0, 0], { signal: controller.signal });
  controller.abort(new Error("no longer wanted"));
  equal((await rejects(reading)).message, "no longer wanted", "the reason");
});

test("zarrita: our own arrays are left as they are", async () => {
  const array = await zarr.open(urlOf("three-channels"), { path: "s0", kind: "array" });
  ok((await decodeInWorkers(array)) === array, "the same array");
});
