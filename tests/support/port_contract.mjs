/**
 * The tests that must pass wherever the engine runs: in a worker, and on the caller's thread. Each
 * entry is a test that gets the package and assertions. `tests/node/port.test.mjs` and
 * `tests/browser/port.test.mjs` run them.
 */
import { pause, steady, until } from "./waiting.mjs";

const text = (value) => new TextEncoder().encode(value);

/** A v3 array of int32 whose element [i, j] is 100 i + j, in chunks of 8 × 8, as a Map. */
export function madeStore({
  shape = [32, 40],
  codecs = [{ name: "bytes", configuration: { endian: "little" } }],
} = {}) {
  const metadata = {
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type: "int32",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [8, 8] } },
    chunk_key_encoding: { name: "default" },
    codecs,
    fill_value: -1,
    attributes: { title: "made", big: 1 },
  };
  const document = JSON.stringify(metadata).replace('"big":1', '"big":9007199254740993,"none":NaN');
  const store = new Map([["/zarr.json", text(document)]]);
  for (let row = 0; row * 8 < shape[0]; row += 1) {
    for (let column = 0; column * 8 < shape[1]; column += 1) {
      const chunk = Int32Array.from({ length: 64 }, (_, at) => {
        const [i, j] = [row * 8 + Math.floor(at / 8), column * 8 + (at % 8)];
        return 100 * i + j;
      });
      store.set(`/c/${row}/${column}`, new Uint8Array(chunk.buffer));
    }
  }
  return store;
}

/** A store that records its requests, and answers when the test says so. */
export function watched(inner) {
  const calls = [];
  return {
    calls,
    async get(key, options) {
      calls.push({ key, options });
      return inner.get(key);
    },
  };
}

const rejected = (promise) =>
  promise.then(
    () => undefined,
    (error) => error,
  );

/** Elements [from, to) of row i. */
const row = (i, from, to) => Array.from({ length: to - from }, (_, at) => 100 * i + from + at);

export const CONTRACT = {
  "open and get": async ({ zarr, equal, same }) => {
    const array = await zarr.open(madeStore(), { kind: "array" });
    same(array.shape, [32, 40]);
    equal(array.attrs.title, "made");
    const { data, shape } = await array.get([9, zarr.slice(5, 20)]);
    same([...data], row(9, 5, 20));
    same(shape, [15]);
    equal(data.constructor.name, "Int32Array");
  },

  "attributes that JSON cannot hold": async ({ zarr, equal, ok }) => {
    const array = await zarr.open(madeStore(), { kind: "array" });
    ok(Number.isNaN(array.attrs.none));
    equal(array.attrs.big, 9007199254740992);
    equal(array.attributes({ bigint: true }).big, 9007199254740993n);
  },

  async "large attributes, twice at once"({ zarr, ok, equal, same }) {
    const store = madeStore();
    const document = new TextDecoder().decode(store.get("/zarr.json"));
    const long = "\u00e4".repeat(400_000);
    store.set("/zarr.json", text(document.replace('"title":"made"', `"title":"${long}"`)));
    const arrays = await Promise.all([zarr.open(store), zarr.open(store)]);
    for (const array of arrays) {
      equal(array.attrs.title, long);
      ok(Number.isNaN(array.attrs.none));
      equal(array.attributes({ bigint: true }).big, 9007199254740993n);
      equal(array.rawMetadata["zarr.json"].length, document.length - 4 + long.length);
      same([...(await array.get([3, zarr.slice(0, 10)])).data], row(3, 0, 10));
    }
  },

  "zarrita's calls": async ({ zarr, same }) => {
    const array = await zarr.open.v3(zarr.root(madeStore()), { kind: "array" });
    const chunk = await array.getChunk([1, 2]);
    same([...chunk.data.slice(0, 8)], row(8, 16, 24));
    same(chunk.stride, [8, 1]);
    same(await zarr.get(array, [3, 4]), 304);
  },

  "the caller's own signal reaches the caller's own store": async ({ zarr, equal, ok }) => {
    const store = watched(madeStore());
    const { signal } = new AbortController();
    const array = await zarr.open(store, { kind: "array", signal });
    ok(store.calls.every(({ options }) => options.signal === signal));
    store.calls.length = 0;
    await array.get([0, 0], { signal });
    equal(store.calls[0].options.signal, signal);
  },

  "reading does not change or detach the store's bytes": async ({ zarr, equal }) => {
    const store = madeStore();
    const array = await zarr.open(store, { kind: "array" });
    await array.get();
    for (const bytes of store.values()) equal(bytes.byteLength > 0, true);
  },

  "an error of a store comes out as it is": async ({ zarr, equal }) => {
    class OwnError extends Error {}
    const thrown = Object.assign(new OwnError("no"), { status: 7 });
    const inner = madeStore();
    const store = {
      get: async (key) => {
        if (key.startsWith("/c/")) throw thrown;
        return inner.get(key);
      },
    };
    const array = await zarr.open(store, { kind: "array" });
    equal(await rejected(array.get()), thrown);
  },

  "errors have their classes": async ({ zarr, equal, ok }) => {
    const array = await zarr.open(madeStore(), { kind: "array" });
    ok((await rejected(array.get([99]))) instanceof zarr.InvalidSelectionError);
    ok((await rejected(zarr.open(new Map()))) instanceof zarr.NotFoundError);
    const bad = madeStore();
    bad.set("/c/0/0", new Uint8Array(3));
    const damaged = await zarr.open(bad, { kind: "array" });
    const error = await rejected(damaged.get());
    ok(error instanceof zarr.CodecPipelineError);
    equal(error.key.replace(/^\//, ""), "c/0/0");
    const unknown = await rejected(
      zarr.open(madeStore({ codecs: [{ name: "nobody's" }] })).then((a) => a.get()),
    );
    ok(unknown instanceof zarr.UnknownCodecError);
  },

  "an abort rejects with the signal's reason and ends requests": async ({ zarr, equal }) => {
    const inner = madeStore({ shape: [80, 80] }); // more chunks than are requested at once
    let asked = 0;
    const store = {
      get: (key) => {
        if (!key.startsWith("/c/")) return Promise.resolve(inner.get(key));
        asked += 1;
        return new Promise(() => {});
      },
    };
    const array = await zarr.open(store, { kind: "array" });
    const controller = new AbortController();
    const reading = rejected(array.get(null, { signal: controller.signal }));
    await steady(() => asked);
    const before = asked;
    const reason = { why: "gone" };
    controller.abort(reason);
    equal(await reading, reason);
    await pause(50);
    equal(asked, before);
  },

  "a result in the caller's memory": async ({ zarr, same, equal }) => {
    const array = await zarr.open(madeStore(), { kind: "array" });
    const out = new Int32Array(40);
    const { data } = await array.get([12, null], { out });
    equal(data, out);
    same([...out], row(12, 0, 40));
    const short = await rejected(array.get([12, null], { out: new Int32Array(39) }));
    equal(short.code, "Argument");
  },

  "nothing is written to the caller's memory after a read has rejected": async ({ zarr, same }) => {
    const inner = madeStore();
    const held = [];
    const store = {
      get: async (key) => {
        if (key.startsWith("/c/")) await new Promise((resolve) => held.push(resolve));
        return inner.get(key);
      },
    };
    const array = await zarr.open(store, { kind: "array" });
    const controller = new AbortController();
    const out = new Int32Array(32 * 40);
    const reading = rejected(array.get(null, { out, signal: controller.signal }));
    await steady(() => held.length);
    controller.abort();
    await reading;
    for (const go of held) go();
    await pause(50);
    same(new Set(out), new Set([0]));
  },

  "streams wait until their parts are taken, and end when the loop ends": async ({ zarr, equal, ok }) => {
    const array = await zarr.open(madeStore({ shape: [32, 40] }), { kind: "array" });
    let elements = 0;
    for await (const part of array.stream(null)) {
      elements += part.data.length;
      equal(part.data[0], 100 * part.start[0] + part.start[1]);
    }
    equal(elements, 32 * 40);
    for await (const part of array.stream(null)) {
      ok(part.data.length > 0);
      break;
    }
  },

  "progress ends with everything": async ({ zarr, equal, ok }) => {
    const array = await zarr.open(madeStore(), { kind: "array" });
    const told = [];
    await array.get(null, { onProgress: (progress) => told.push(progress) });
    ok(told.length > 0);
    equal(told.at(-1).chunks, 20);
    equal(told.at(-1).totalChunks, 20);
  },

  "set, resize, append and attributes": async ({ zarr, same, equal }) => {
    const store = new Map();
    const array = await zarr.create(store, {
      shape: [4, 6],
      chunkShape: [2, 3],
      dtype: "float32",
      codecs: [{ name: "gzip", configuration: { level: 1 } }],
    });
    await array.set(
      [zarr.slice(0, 2), null],
      Float32Array.from({ length: 12 }, (_, at) => at / 2),
    );
    await array.append(Float32Array.from({ length: 6 }, () => 9));
    same(array.shape, [5, 6]);
    await array.updateAttributes({ units: "K" });
    const again = await zarr.open(store, { kind: "array" });
    equal(again.attrs.units, "K");
    same([...(await again.get([1, null])).data], [3, 3.5, 4, 4.5, 5, 5.5]);
    same([...(await again.get([4, null])).data], [9, 9, 9, 9, 9, 9]);
    await again.resize([1, 6]);
    same(array.shape, [1, 6]);
  },

  "floats that JavaScript lacks are packed by the engine": async ({ zarr, same, equal }) => {
    const array = await zarr.create(new Map(), {
      shape: [3],
      chunkShape: [3],
      dtype: "float8_e4m3",
      codecs: [],
      fillValue: 0.5,
    });
    await array.set(zarr.slice(0, 2) && [zarr.slice(0, 2)], [1.5, -2]);
    same([...(await array.get()).data], [1.5, -2, 0.5]);
    const error = await rejected(array.set(null, [1e6, 0, 0]));
    equal(error.code, "Argument");
  },

  "codecs that are functions": async ({ zarr, same, equal }) => {
    zarr.registry.set("test.flip", () => ({
      kind: "bytes_to_bytes",
      fromConfig: () => ({
        encode: (bytes) => bytes.map((byte) => 255 - byte),
        decode: (bytes) => bytes.map((byte) => 255 - byte),
      }),
    }));
    try {
      const array = await zarr.create(new Map(), {
        shape: [8],
        chunkShape: [4],
        dtype: "uint8",
        codecs: ["bytes", "test.flip"],
      });
      await array.set(null, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8));
      same([...(await array.get()).data], [1, 2, 3, 4, 5, 6, 7, 8]);
      const thrown = new RangeError("mine");
      zarr.registry.set("test.flip", () => ({
        kind: "bytes_to_bytes",
        fromConfig: () => ({
          decode: () => {
            throw thrown;
          },
        }),
      }));
      const again = await zarr.open(array.store, { kind: "array" });
      const error = await rejected(again.get());
      equal(error.code, "Format");
      equal(error.cause, thrown);
    } finally {
      zarr.registry.delete("test.flip");
    }
  },

  "a store may call the package during a request": async ({ zarr, same }) => {
    const outer = await zarr.open(madeStore(), { kind: "array" });
    const inner = madeStore();
    const store = {
      async get(key) {
        if (key.startsWith("/c/")) await outer.get([0, 0]);
        return inner.get(key);
      },
    };
    const array = await zarr.open(store, { kind: "array" });
    same([...(await array.get([2, zarr.slice(0, 3)])).data], row(2, 0, 3));
  },

  "strings and JSON": async ({ zarr, same }) => {
    const array = await zarr.create(new Map(), { shape: [3], chunkShape: [2], dtype: "string" });
    await array.set(null, ["é", "", "three"]);
    same((await array.get()).data, ["é", "", "three"]);
  },

  "points, steps and a scalar": async ({ zarr, same }) => {
    const array = await zarr.open(madeStore(), { kind: "array" });
    same([...(await array.get(zarr.points([0, 31], [39, 1]))).data], [39, 3101]);
    same([...(await array.get([zarr.slice(31, 28, -1), 0])).data], [3100, 3000, 2900]);
    same([...(await array.get([4, 4])).data], [404]);
  },

  "a plan, and its objects one by one": async ({ zarr, same, equal }) => {
    const array = await zarr.open(madeStore(), { kind: "array" });
    const plan = await array.plan([zarr.slice(0, 9), 0]);
    equal(plan.objectCount, 2);
    const keys = [];
    for await (const { key } of plan.objects()) keys.push(key);
    same(keys, ["/c/0/0", "/c/1/0"]);
  },

  "dispose rejects calls in progress, and open nodes stay usable": async ({ zarr, equal, same }) => {
    const inner = madeStore();
    let isStuck = true;
    let stuck = 0;
    const store = {
      get: (key) => {
        if (!isStuck || !key.startsWith("/c/")) return Promise.resolve(inner.get(key));
        stuck += 1;
        return new Promise(() => {});
      },
    };
    const array = await zarr.open(store, { kind: "array" });
    const reading = rejected(array.get());
    await until(() => stuck > 0);
    zarr.dispose();
    equal((await reading).code, "Aborted");
    isStuck = false;
    same([...(await array.get([1, zarr.slice(0, 2)])).data], [100, 101]);
  },

  "an argument that cannot be cloned is refused or used": async ({ zarr, same, ok }) => {
    const array = await zarr.create(new Map(), { shape: [2], chunkShape: [2], dtype: "int8" });
    const error = await rejected(array.set(null, [() => 1, 2]));
    ok(error instanceof zarr.ZarrError, String(error));
    await array.set(null, [1, 2]);
    same([...(await array.get()).data], [1, 2]);
  },
};
