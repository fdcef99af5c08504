/**
 * The tests that every store must pass, in Node (`tests/node/stores.test.mjs`) and in Chromium
 * (`tests/browser/stores.test.mjs`). `kit` is `{ zarr, test, equal, rejects }` of the environment.
 */

const utf8 = (text) => new TextEncoder().encode(text);

/** Names that are difficult for servers, file systems and URLs. */
export const AWKWARD = "/a b/é#ü%20+&'(),;=@~!$.bin";

const little = { name: "bytes", configuration: { endian: "little" } };

/** Metadata of an array without compression. */
const metadata = (shape, chunkShape, dtype, codecs) => ({
  zarr_format: 3,
  node_type: "array",
  shape,
  data_type: dtype,
  chunk_grid: { name: "regular", configuration: { chunk_shape: chunkShape } },
  chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
  codecs,
  fill_value: 0,
});

/** The elements of a box of a matrix with `width` columns, in row-major order. */
function box(width, [top, left], [rows, columns], valueAt) {
  const values = [];
  for (let row = top; row < top + rows; row += 1)
    for (let column = left; column < left + columns; column += 1) values.push(valueAt(row * width + column));
  return values;
}

/**
 * A shard of 8 × 8 bytes in chunks of 4 × 4, with the index at its end. The value of an element is
 * its position plus one.
 */
function shard() {
  const origins = [
    [0, 0],
    [0, 4],
    [4, 0],
    [4, 4],
  ];
  const chunks = origins.flatMap((origin) => box(8, origin, [4, 4], (at) => at + 1));
  const index = BigUint64Array.from([0n, 16n, 16n, 16n, 32n, 16n, 48n, 16n]);
  return Uint8Array.from([...chunks, ...new Uint8Array(index.buffer)]);
}

/** A small hierarchy and some other keys: a `Map` from key to bytes. */
export function content() {
  const store = new Map();
  const put = (key, value) => store.set(key, utf8(JSON.stringify(value)));
  const group = { zarr_format: 3, node_type: "group" };
  put("/zarr.json", { ...group, attributes: { title: "suite" } });
  put("/g/zarr.json", group);
  put("/g/a/zarr.json", metadata([6, 8], [3, 4], "int32", [little]));
  for (const [i, j] of [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ]) {
    const values = Int32Array.from(box(8, [i * 3, j * 4], [3, 4], (at) => at * 3));
    store.set(`/g/a/c/${i}/${j}`, new Uint8Array(values.buffer));
  }
  const sharding = {
    chunk_shape: [4, 4],
    codecs: [{ name: "bytes" }],
    index_codecs: [little],
    index_location: "end",
  };
  put(
    "/g/s/zarr.json",
    metadata([8, 8], [8, 8], "uint8", [{ name: "sharding_indexed", configuration: sharding }]),
  );
  store.set("/g/s/c/0/0", shard());
  store.set("/ab/c", utf8("0123456789"));
  store.set("/a.b/x", utf8("x"));
  store.set("/a/b/c/d", utf8("deep"));
  store.set(AWKWARD, utf8("awkward"));
  store.set("/empty", new Uint8Array());
  return store;
}

const text = (bytes) => bytes && new TextDecoder().decode(bytes);

async function listed(iterable) {
  const keys = [];
  for await (const key of await iterable) keys.push(key);
  return keys.sort();
}

/** The entries directly below a prefix. */
function directoryOf(keys, prefix) {
  const below = keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  const direct = below.filter((rest) => !rest.includes("/")).map((rest) => prefix + rest);
  const folders = below.filter((rest) => rest.includes("/")).map((rest) => `${prefix}${rest.split("/")[0]}/`);
  return { keys: direct.sort(), prefixes: [...new Set(folders)].sort() };
}

/**
 * Tests a readable store. `make(files)` resolves to a store with these files. `lists`, `ranges` and
 * `sizes` say whether it can list, and whether it has `getRange` and `size`.
 */
export function readingSuite(kit, name, make, { lists = true, ranges = true, sizes = true } = {}) {
  const { zarr, test, equal } = kit;
  let made;
  const open = () => {
    made ??= (async () => {
      const files = content();
      return { files, store: await make(files) };
    })();
    return made;
  };

  test(`${name}: every value can be read, and an absent one is undefined`, async () => {
    const { files, store } = await open();
    for (const [key, bytes] of files) equal([...(await store.get(key))], [...bytes], key);
    for (const key of ["/nothing", "/a/nothing", "/ab/c/below", "/g", "/a"]) {
      equal(await store.get(key), undefined, key);
    }
  });

  if (ranges)
    test(`${name}: ranges`, async () => {
      const { store } = await open();
      const part = async (range) => text(await store.getRange("/ab/c", range));
      equal(await part({ offset: 0, length: 3 }), "012");
      equal(await part({ offset: 4, length: 3 }), "456");
      equal(await part({ offset: 8, length: 10 }), "89");
      equal(await part({ suffixLength: 4 }), "6789");
      equal(await part({ suffixLength: 40 }), "0123456789");
      equal(await store.getRange("/nothing", { offset: 0, length: 1 }), undefined);
    });

  if (sizes)
    test(`${name}: sizes`, async () => {
      const { files, store } = await open();
      for (const key of ["/ab/c", AWKWARD]) equal(await store.size(key), files.get(key).length, key);
      equal(await store.size("/nothing"), undefined);
    });

  if (lists)
    test(`${name}: lists`, async () => {
      const { files, store } = await open();
      const keys = [...files.keys()];
      for (const prefix of ["/", "/a/", "/g/", "/g/a/c/", "/nothing/"]) {
        const expected = keys.filter((key) => key.startsWith(prefix)).sort();
        if (store.list) equal(await listed(store.list(prefix)), expected, `list ${prefix}`);
        if (!store.listDir) continue;
        const { keys: direct, prefixes } = await store.listDir(prefix);
        const found = { keys: await listed(direct), prefixes: await listed(prefixes) };
        equal(found, directoryOf(keys, prefix), `listDir ${prefix}`);
      }
    });

  test(`${name}: a hierarchy is opened and read`, async () => {
    const { store } = await open();
    const group = await zarr.open(store, { kind: "group" });
    equal(group.attrs, { title: "suite" });
    const array = await zarr.open(store, { path: "g/a", kind: "array" });
    equal([...(await array.get([1, zarr.slice(2, 6)])).data], [30, 33, 36, 39]);
    const sharded = await zarr.open(store, { path: "g/s", kind: "array" });
    equal([...(await sharded.get([7, zarr.slice(3, 6)])).data], [60, 61, 62]);
    if (lists) {
      const children = [];
      for await (const child of (await zarr.open(store, { path: "g", kind: "group" })).children()) {
        children.push(child.path);
      }
      equal(children.sort(), ["/g/a", "/g/s"]);
    }
  });
}

/** Tests a writable store. `make()` resolves to a new, empty one. */
export function writingSuite(kit, name, make, { lists = true, strict = true } = {}) {
  const { zarr, test, equal, rejects } = kit;

  test(`${name}: values are put, replaced and removed`, async () => {
    const store = await make();
    for (const key of ["/a", "/b/c/d", AWKWARD]) {
      await store.set(key, utf8("long value"));
      await store.set(key, utf8("short"));
      equal(text(await store.get(key)), "short", key);
    }
    await store.set("/b/empty", new Uint8Array());
    equal((await store.get("/b/empty")).length, 0);
    await store.delete("/b/c/d");
    await store.delete("/b/c/d");
    await store.delete("/never/there");
    equal(await store.get("/b/c/d"), undefined);
    if (lists) {
      // A folder that became empty is not listed.
      equal(await listed(store.list("/b/")), ["/b/empty"]);
      const { prefixes } = store.listDir ? await store.listDir("/b/") : { prefixes: [] };
      equal(await listed(prefixes), []);
    }
  });

  if (strict)
    test(`${name}: keys outside of the store, and a value with a folder's name, are refused`, async () => {
      const store = await make();
      for (const key of ["/../escaped", "/a/../../escaped", "/a//b", "/.", "/"]) {
        await rejects((async () => store.set(key, utf8("x")))(), (error) => error.code === "Argument");
        await rejects((async () => store.get(key))(), (error) => error.code === "Argument");
      }
    });

  test(`${name}: many writes at once`, async () => {
    const store = await make();
    const keys = Array.from({ length: 40 }, (_, at) => `/many/${at % 4}/${at}`);
    await Promise.all(keys.map((key) => store.set(key, utf8(key))));
    for (const key of keys) equal(text(await store.get(key)), key);
    // Concurrent writes to one key: the value is one of them, completely.
    const values = ["a", "b", "c", "d"].map((letter) => letter.repeat(1000));
    await Promise.all(values.map((value) => store.set("/many/one", utf8(value))));
    equal(values.includes(text(await store.get("/many/one"))), true);
  });

  test(`${name}: a hierarchy is created, written, read again and erased`, async () => {
    for (const zarrFormat of [2, 3]) {
      const store = await make();
      await zarr.create(store, { kind: "group", zarrFormat });
      const options = { path: "g/a", zarrFormat, shape: [5, 7], chunkShape: [2, 3], dtype: "float32" };
      const array = await zarr.create(store, options);
      const values = Float32Array.from({ length: 35 }, (_, at) => at / 4);
      await array.set(null, { data: values, shape: [5, 7] });
      await array.set([2, null], -1);
      const again = await zarr.open(store, { path: "g/a", kind: "array" });
      values.fill(-1, 14, 21);
      equal([...(await again.get()).data], [...values]);
      equal(await zarr.exists(zarr.root(store).resolve("g/a")), "array");
      equal(await zarr.erase(zarr.root(store).resolve("g/a")), true);
      await rejects(zarr.open(store, { path: "g/a" }), (error) => error.code === "NotFound");
      equal(await zarr.exists(zarr.root(store).resolve("g/a")), null);
    }
  });
}
