/**
 * What every server must pass, in Node and in Chromium. A check gets a kit: `zarr`, the `url` of
 * the data, the `expected` values, what is known of the `host`, `put(key, bytes)`, which changes a
 * file on the server, and `warnings`, which have been issued. A failed check throws.
 */

const READ = ["v3", "v2", "codecs", "sharded", "missing", "names"];

function equal(actual, expected, what) {
  const [one, other] = [actual, expected].map((value) => JSON.stringify(value));
  if (one !== other) throw new Error(`${what}: ${one?.slice(0, 300)} instead of ${other?.slice(0, 300)}`);
}

async function rejects(promise, code, what) {
  const error = await promise.then(
    (value) => new Error(`${what}: no error but ${value}`),
    (reason) => reason,
  );
  if (error.code !== code) throw new Error(`${what}: not ${code} but ${error.stack}`);
}

const bytesOf = (base64) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

/** The bytes of a box of an array whose elements are packed in C order. */
function boxOf(packed, shape, box) {
  const size = packed.length / shape.reduce((product, extent) => product * extent, 1);
  let rows = [0];
  for (const [axis, [start, stop]] of box.entries()) {
    const places = Array.from({ length: stop - start }, (_, at) => start + at);
    rows = rows.flatMap((row) => places.map((place) => row * shape[axis] + place));
  }
  return rows.flatMap((element) => [...packed.subarray(element * size, (element + 1) * size)]);
}

/** A box that cuts chunks: from the second quarter to the last but one element. */
const middle = (shape) => shape.map((extent) => [extent >> 2, Math.max((extent >> 2) + 1, extent - 1)]);

const arraysOf = (nodes) =>
  nodes.filter(({ kind, values, shape }) => kind === "array" && values !== undefined && !shape.includes(0));

/** Reads an array as a whole and in parts. */
async function readArray({ zarr, url }, store, { path, shape, values }) {
  const packed = bytesOf(values);
  const place = new zarr.FetchStore(`${url}/${store}`);
  const whole = await (await zarr.open(place, { path, kind: "array" })).get(null, { as: "bytes" });
  equal([...whole.data], [...packed], `${store}/${path}`);
  // Another store object has none of the chunks in its caches.
  const array = await zarr.open(new zarr.FetchStore(`${url}/${store}`), { path, kind: "array" });
  const box = middle(shape);
  const selection = box.map(([start, stop]) => zarr.slice(start, stop));
  const part = await array.get(selection, { as: "bytes" });
  equal([...part.data], boxOf(packed, shape, box), `${store}/${path} in part`);
}

/** Whether a name matches a pattern of the host's. */
const isAmong = (pattern, name) => pattern !== undefined && new RegExp(pattern).test(name);

async function readStore(kit, store) {
  const arrays = arraysOf(kit.expected[store]);
  if (arrays.length === 0) throw new Error(`${store} has no arrays`);
  for (const array of arrays) {
    if (!isAmong(kit.host.refuses, array.path)) await readArray(kit, store, array);
    else await rejects(readArray(kit, store, array), "NotFound", array.path);
  }
}

async function readArchives({ zarr, url, expected }) {
  for (const [name, arrays] of Object.entries(expected.archives)) {
    const place = `${url}/archives/${name}`;
    const isDocument = name.endsWith(".json");
    for (const [path, values] of Object.entries(arrays)) {
      const store = isDocument ? await zarr.ReferenceStore.fromUrl(place) : place;
      const array = await zarr.open(store, { path, kind: "array" });
      equal(Array.from((await array.get()).data), values.flat(Infinity), `${name}/${path}`);
    }
  }
}

async function findNothing({ zarr, url }) {
  const at = (path) => zarr.open(`${url}/${path}`);
  for (const path of ["v3/nothing", "v2/plain/nothing", "nothing", "v3/named/c", "v3/named/c/0"])
    await rejects(at(path), "NotFound", path);
  await rejects(zarr.open(`${url}/v3`, { kind: "array" }), "NotFound", "a group as an array");
  const there = async (path) => zarr.exists(zarr.root(new zarr.FetchStore(`${url}/v3`)).resolve(path));
  const found = [await there("named"), await there("a/b"), await there("a/nothing")];
  equal(found, ["array", "group", null], "exists");
}

async function childrenOf({ zarr, url }, store) {
  const group = await zarr.open(new zarr.FetchStore(`${url}/${store}`), { kind: "group" });
  const found = [];
  for await (const child of group.children()) found.push(child.path.slice(1));
  return found.sort();
}

const childrenIn = (nodes) =>
  nodes
    .map(({ path }) => path)
    .filter((path) => path !== "" && !path.includes("/"))
    .sort();

/** Lists v3 groups, and one whose names are difficult. */
async function listV3(kit) {
  const { host, expected } = kit;
  for (const store of ["listed-v3", "names"]) {
    if (!host.lists) {
      await rejects(childrenOf(kit, store), "Unsupported", `children of ${store}`);
      continue;
    }
    const wanted = childrenIn(expected[store]).filter((name) => !isAmong(host.hides, name));
    equal(await childrenOf(kit, store), wanted, `children of ${store}`);
  }
}

/** Lists a v2 group. */
async function listV2(kit) {
  if (!kit.host.lists) return rejects(childrenOf(kit, "listed-v2"), "Unsupported", "children");
  equal(await childrenOf(kit, "listed-v2"), childrenIn(kit.expected["listed-v2"]), "children");
}

const documentOf = async ({ url }, key) => (await fetch(`${url}/${key}`, { cache: "reload" })).text();

const replaced = (text) => new TextEncoder().encode(text);

/** Changes a chunk and a document on the server, and reads them again. */
async function refresh(kit) {
  const { zarr, url, put, expected } = kit;
  const path = "named";
  const { shape, values } = expected.v3.find((node) => node.path === path);
  const array = await zarr.open(new zarr.FetchStore(`${url}/v3/${path}`), { kind: "array" });
  const before = [...(await array.get(null, { as: "bytes" })).data];
  equal(before, [...bytesOf(values)], "before");
  // The chunk at the origin becomes a copy of another one. Both have the same shape inside.
  const other = new Uint8Array(await (await fetch(`${url}/v3/same-named/c/0/0`)).arrayBuffer());
  await put("v3/named/c/0/0", other);
  const copied = expected.v3.find((node) => node.path === "same-named");
  const box = [
    [0, 2],
    [0, 2],
  ];
  const wanted = boxOf(bytesOf(copied.values), copied.shape, box);
  const selection = box.map(([start, stop]) => zarr.slice(start, stop));
  const fresh = await array.get(selection, { as: "bytes", cache: "reload" });
  equal([...fresh.data], wanted, `cache: "reload" of ${shape}`);
  const text = await documentOf(kit, "v3/named/zarr.json");
  const document = JSON.parse(text);
  document.attributes = { changed: "yes, by a test" };
  await put("v3/named/zarr.json", replaced(JSON.stringify(document)));
  await array.refresh();
  equal(array.attrs, document.attributes, "attributes after refresh");
  equal([...(await array.get(selection, { as: "bytes" })).data], wanted, "after refresh");
}

/** A file of 12 kB, of which parts are read. */
const LARGE = "archives/data.h5";

/**
 * Reads parts of a file: with ranges, few bytes arrive. Without them, there is one warning, and the
 * bytes are right.
 */
async function ranges({ zarr, url, host, warnings }) {
  const all = new Uint8Array(await (await fetch(`${url}/${LARGE}`)).arrayBuffer());
  warnings.length = 0;
  const store = new zarr.FetchStore(url);
  const before = zarr.info().wire;
  const inside = await store.getRange(`/${LARGE}`, { offset: 4207, length: 96 });
  equal([...inside], [...all.subarray(4207, 4303)], "a part");
  const end = await store.getRange(`/${LARGE}`, { suffixLength: 50 });
  equal([...end], [...all.subarray(-50)], "the end");
  const after = zarr.info().wire;
  const bytes = after.bytes - before.bytes;
  const said = warnings.filter((message) => message.includes("ignores byte ranges")).length;
  if (host.ranges === false)
    return equal([said, bytes >= all.length], [1, true], "warnings, and the whole file arrives");
  equal(warnings, [], "warnings");
  if (bytes > 300) throw new Error(`${bytes} bytes arrived for 146`);
  // The end costs three if the server does not understand `bytes=-50`.
  const requests = after.requests - before.requests;
  if (requests > 4) throw new Error(`${requests} requests for two parts`);
}

/** Consolidated metadata name all nodes, in few requests. Their nodes open without any. */
async function consolidated({ zarr, url, expected }) {
  for (const [store, most] of [
    ["v3", 1],
    ["v2", 2],
  ]) {
    const before = zarr.info().wire.requests;
    const known = await zarr.withConsolidatedMetadata(new zarr.FetchStore(`${url}/${store}`));
    const found = known.contents().map(({ path }) => path.slice(1));
    const wanted = expected[store].map(({ path }) => path);
    equal(found.sort(), wanted.sort(), `contents of ${store}`);
    for (const { path, kind } of expected[store]) await zarr.open(known, { path, kind });
    const requests = zarr.info().wire.requests - before;
    if (requests > most) throw new Error(`${requests} requests for consolidated metadata of ${store}`);
  }
}

/** Many reads at once. */
async function many(kit) {
  const arrays = arraysOf(kit.expected.codecs);
  await Promise.all(arrays.map((array) => readArray(kit, "codecs", array)));
}

/** The checks by name, in order: the last one changes the data. */
export const CHECKS = {
  ...Object.fromEntries(READ.map((store) => [`reads ${store}`, (kit) => readStore(kit, store)])),
  "reads archives and references": readArchives,
  "many reads at once": many,
  "what is not there": findNothing,
  "consolidated metadata": consolidated,
  "lists v3": listV3,
  "lists v2": listV2,
  "byte ranges": ranges,
  "a change on the server": refresh,
};

/** Runs the checks. `report(name, error)` hears of each; the error is a text or undefined. */
export async function runChecks(kit, report) {
  for (const [name, check] of Object.entries(CHECKS)) {
    const error = await check(kit).then(
      () => undefined,
      (reason) => String(reason.stack ?? reason),
    );
    await report(name, error);
  }
}
