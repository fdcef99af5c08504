/**
 * Writes that fail, are aborted or lose their engine at every call of the store. Afterwards the
 * open arrays say what is stored, no cache answers with something else, and what a failed write
 * left beyond the shape never comes back. The expected values are plain arrays, changed one element
 * at a time. `tests/rust/writing/cut_off.rs` does the same for more formats and two dimensions.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import * as zarr from "zarr-wasm";
import { pause } from "../support/waiting.mjs";

const FILL = 99;
const FORMATS = [
  ["v2", { zarrFormat: 2 }],
  ["v3", {}],
  ["v3 in shards", { shardShape: [4] }],
];
const OPTIONS = { path: "a", shape: [5], chunkShape: [2], dtype: "int32", fillValue: FILL };
const OLD = [1, 2, 3, 4, 5];

/** The changes, and what they make of the elements. */
const CHANGES = [
  ["set", (array, options) => array.set([zarr.slice(1, 4)], [7, 8, 9], options), [1, 7, 8, 9, 5]],
  ["grow", (array, options) => array.resize([9], options), [...OLD, FILL, FILL, FILL, FILL]],
  ["shrink", (array, options) => array.resize([2], options), [1, 2]],
  ["append", (array, options) => array.append([6, 7, 8, 9], 0, options), [...OLD, 6, 7, 8, 9]],
];

/** A store that calls `disturb(number, act)` instead of its calls; `act` performs the call. */
class Disturbed {
  values = new Map();
  calls = 0;
  disturb = undefined;

  async #call(act) {
    await undefined;
    this.calls += 1;
    return this.disturb ? this.disturb(this.calls, act) : act();
  }

  get(key) {
    return this.#call(() => this.values.get(key));
  }

  set(key, value) {
    return this.#call(() => void this.values.set(key, value));
  }

  delete(key) {
    return this.#call(() => this.values.delete(key));
  }

  list(prefix) {
    return this.#call(() => [...this.values.keys()].filter((key) => key.startsWith(prefix)));
  }

  /** Resolves when no call has come for a while. */
  async isQuiet() {
    for (let before = -1; before !== this.calls; ) {
      before = this.calls;
      await pause(30);
    }
  }

  /** The shape in the stored document. */
  get shape() {
    const text = this.values.get("/a/.zarray") ?? this.values.get("/a/zarr.json");
    return JSON.parse(new TextDecoder().decode(text)).shape;
  }
}

const failed = () => new Error("the connection was lost");

/** The ways in which the call number `at` is disturbed. The last ones end more than that call. */
const DISTURBANCES = {
  "fails before it acts": (at) => (number, act) => {
    if (number === at) throw failed();
    return act();
  },
  "acts and then fails": (at) => async (number, act) => {
    await act();
    if (number === at) throw failed();
  },
  "fails, as all calls after it": (at) => (number, act) => {
    if (number >= at) throw failed();
    return act();
  },
  "loses the engine after it acted": (at) => async (number, act) => {
    if (number > at) return undefined;
    const done = await act();
    if (number === at) zarr.dispose();
    return done;
  },
};

/** A call that acts and then fails must still answer when it is not the one that fails. */
const answering = (disturb) => async (number, act) => {
  let answer;
  await disturb(number, async () => {
    answer = await act();
    return answer;
  });
  return answer;
};

async function written(options) {
  const store = new Disturbed();
  const array = await zarr.create(store, { ...OPTIONS, ...options });
  await array.set(null, OLD);
  return { store, array };
}

const read = async (array) => [...(await array.get()).data];

/** What a failed change may leave. */
function mayBe(found, [name, , changed]) {
  if (name === "set") return found.every((value, at) => value === OLD[at] || value === changed[at]);
  return [OLD, changed].some((each) => each.join() === found.join());
}

/** Disturbs one call of a change. Resolves to whether the change has so many calls. */
async function disturbed({ format, change, disturb, at, wait }) {
  const { store, array } = await written(format[1]);
  const other = await zarr.open(store, { path: "a", kind: "array" });
  await read(array);
  store.calls = 0;
  store.disturb = answering(disturb(at));
  const error = await change[1](array, {}).then(
    () => undefined,
    (reason) => reason,
  );
  const { calls } = store;
  store.disturb = undefined;
  if (!error && calls < at) return false;
  const told = `${format[0]}: ${change[0]} at call ${at}`;
  // The rejected call has left the shape right, unless the store or the engine is gone.
  if (!wait) assert.deepEqual(array.shape, store.shape, told);
  const found = await read(array);
  assert.deepEqual([array.shape, other.shape], [store.shape, store.shape], told);
  assert.ok(mayBe(found, change), `${told}: ${found}`);
  assert.deepEqual(await read(await zarr.open(store, { path: "a", kind: "array" })), found, told);
  // The next change builds on what is stored, also through the other object.
  await other.append([0]);
  await array.resize([13]);
  const grown = Array.from({ length: 13 }, (_, place) => [...found, 0][place] ?? FILL);
  assert.deepEqual(await read(other), grown, told);
  return true;
}

for (const [how, disturb] of Object.entries(DISTURBANCES)) {
  test(`each call of each change ${how}`, async () => {
    let cases = 0;
    const losesEngine = how.includes("engine");
    const wait = losesEngine || how.includes("all calls");
    // An engine takes a while to start.
    for (const format of losesEngine ? FORMATS.slice(-1) : FORMATS) {
      for (const change of CHANGES) {
        for (let at = 1; await disturbed({ format, change, disturb, at, wait }); at += 1) cases += 1;
      }
    }
    assert.ok(cases >= 4 * (losesEngine ? 5 : 15), `${cases} cases`);
  });
}

test("each call of each change is the moment of an abort", async () => {
  const reason = new Error("enough");
  for (const format of FORMATS) {
    for (const change of CHANGES) {
      for (let at = 1; at < 40; at += 1) {
        const { store, array } = await written(format[1]);
        const controller = new AbortController();
        store.calls = 0;
        store.disturb = (number, act) => {
          if (number === at) controller.abort(reason);
          return act();
        };
        const error = await change[1](array, { signal: controller.signal }).then(
          () => undefined,
          (thrown) => thrown,
        );
        if (!controller.signal.aborted) break;
        const told = `${format[0]}: ${change[0]} at call ${at}`;
        if (error) assert.equal(error, reason, told);
        // The chunks in flight are completed. Changes of the shape are waited for by the next call.
        if (change[0] === "set") await store.isQuiet();
        const found = await read(array);
        assert.deepEqual(array.shape, store.shape, told);
        assert.ok(mayBe(found, change), `${told}: ${found}`);
        await array.resize([13]);
        const grown = Array.from({ length: 13 }, (_, place) => found[place] ?? FILL);
        assert.deepEqual(await read(array), grown, told);
      }
    }
  }
});

test("attributes of a group say what is stored after each failure", async () => {
  for (const [how, disturb] of Object.entries(DISTURBANCES).slice(0, 2)) {
    for (const zarrFormat of [2, 3]) {
      let cases = 0;
      for (let at = 1; ; at += 1) {
        const store = new Disturbed();
        const group = await zarr.create(store, { zarrFormat, attributes: { a: 1 } });
        store.calls = 0;
        store.disturb = answering(disturb(at));
        const error = await group.updateAttributes({ b: 2 }).catch((thrown) => thrown);
        store.disturb = undefined;
        if (!error && store.calls < at) break;
        cases += 1;
        const stored = JSON.parse(
          new TextDecoder().decode(store.values.get(zarrFormat === 2 ? "/.zattrs" : "/zarr.json")),
        );
        const expected = zarrFormat === 2 ? stored : stored.attributes;
        assert.deepEqual({ ...group.attrs }, expected, `v${zarrFormat} ${how}, call ${at}`);
      }
      assert.ok(cases >= 2, `${cases} calls`);
    }
  }
});

/** A server that stores what is put, and can break the connection before or after it acts. */
async function writableServer() {
  const values = new Map();
  const state = { values, breaks: undefined };
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { method, url } = request;
    const breaks = method === "PUT" && state.breaks;
    if (breaks === "before") return void request.socket.destroy();
    if (method === "PUT") values.set(url, Buffer.concat(parts));
    if (method === "DELETE") values.delete(url);
    if (breaks === "after") return void request.socket.destroy();
    const value = method === "GET" || method === "HEAD" ? values.get(url) : Buffer.alloc(0);
    if (!value) return void response.writeHead(404).end();
    const range = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "");
    const [, from = "0", last] = range ?? [];
    const start = from === "" ? Math.max(0, value.length - Number(last)) : Number(from);
    const end =
      range && range[1] !== "" && range[2] !== ""
        ? Math.min(value.length, Number(range[2]) + 1)
        : value.length;
    response.writeHead(range ? 206 : 200, {
      "content-length": end - start,
      ...(range && { "content-range": `bytes ${start}-${end - 1}/${value.length}` }),
    });
    response.end(method === "HEAD" ? undefined : value.subarray(start, end));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => server.close(server.closeAllConnections()));
  return Object.assign(state, { url: `http://127.0.0.1:${server.address().port}/x` });
}

for (const [name, options] of FORMATS) {
  test(`${name}: a read after a failed write over HTTP sees what the server has`, async () => {
    for (const breaks of ["before", "after"]) {
      const server = await writableServer();
      const array = await zarr.create(new zarr.FetchStore(server.url), { ...OPTIONS, ...options });
      await array.set(null, OLD);
      assert.deepEqual(await read(array), OLD);
      server.breaks = breaks;
      await assert.rejects(array.set([zarr.slice(0, 2)], [8, 9]), { code: "Store" });
      server.breaks = undefined;
      const stored = breaks === "after" ? [8, 9, 3, 4, 5] : OLD;
      assert.deepEqual(await read(array), stored, breaks);
      await array.set([4], 6);
      assert.deepEqual(await read(array), [...stored.slice(0, 4), 6], breaks);
    }
  });
}

test("a shape that cannot be read again stays stale, and the next call says why", async () => {
  const { store, array } = await written({});
  store.disturb = () => {
    throw failed();
  };
  await assert.rejects(array.resize([9]), /the connection was lost/);
  await assert.rejects(array.get(), /the connection was lost/);
  store.disturb = undefined;
  store.values.delete("/a/zarr.json");
  await assert.rejects(array.get(), { code: "NotFound" });
});

const CYCLE = {};
CYCLE.self = CYCLE;

/** Changes whose arguments are wrong, and the member that the error names. */
const REFUSED = [
  ["values that do not fill", (array) => array.append([1, 2], 0, { as: "bytes" }), "value"],
  ["values of another type", (array) => array.append(["a"]), undefined],
  ["an axis beyond the last", (array) => array.append([1], 1), "axis"],
  ["an axis before the first", (array) => array.append([1], -1), "axis"],
  ["an option of append", (array) => array.append([1], 0, { prioriti: 1 }), "prioriti"],
  ["a shape of two dimensions", (array) => array.resize([2, 2]), "shape"],
  ["a shape of no dimension", (array) => array.resize([]), "shape"],
  ["an extent below zero", (array) => array.resize([-1]), undefined],
  ["attributes that are no object", (node) => node.updateAttributes(1), "attributes"],
  ["attributes that JSON lacks", (node) => node.updateAttributes({ a: CYCLE }), "attributes"],
  ["an option of attributes", (node) => node.updateAttributes({}, { replase: true }), "replase"],
];

for (const [name, change, field] of REFUSED) {
  test(`a change that is refused for ${name} asks nothing of the store`, async () => {
    const { store, array } = await written({});
    const group = await zarr.create(store, { path: "g" });
    await store.isQuiet();
    const before = store.calls;
    for (const node of /updateAttributes/.test(change) ? [array, group] : [array]) {
      const error = await change(node).catch((reason) => reason);
      assert.equal(error.code, "Argument", error.message);
      if (field) assert.equal(error.field, field);
    }
    await store.isQuiet();
    assert.equal(store.calls, before);
    assert.deepEqual(array.shape, [5]);
    // The next change is one from the state that the array knew.
    await array.append([6]);
    assert.deepEqual(await read(array), [...OLD, 6]);
  });
}

test("an array that is not stored fails to change, and its chunks are still read", async () => {
  const { store, array } = await written({});
  const metadata = JSON.parse(new TextDecoder().decode(store.values.get("/a/zarr.json")));
  store.values.delete("/a/zarr.json");
  const known = new zarr.Array(store, "/a", metadata);
  await assert.rejects(known.append([6]), { code: "NotFound" });
  assert.deepEqual(await read(known), OLD);
  await assert.rejects(array.resize([6]), { code: "NotFound" });
});

test("a value that is set through the store itself is seen by arrays that cached another", async () => {
  const server = await writableServer();
  const store = new zarr.FetchStore(server.url);
  const array = await zarr.create(store, { ...OPTIONS, codecs: [] });
  await array.set(null, OLD);
  assert.deepEqual(await read(array), OLD);
  await store.set("/a/c/0", new Uint8Array(Int32Array.of(20, 21).buffer));
  await store.delete("/a/c/1");
  assert.deepEqual(await read(array), [20, 21, FILL, FILL, 5]);
});

test("after a write that lost its engine, reads pass the caches in front of the server", async () => {
  const server = await writableServer();
  const modes = [];
  let ends = false;
  const store = new zarr.FetchStore(server.url, {
    fetch: (request) => {
      modes.push(request.cache);
      if (ends && request.method === "PUT") zarr.dispose();
      return fetch(request);
    },
  });
  const array = await zarr.create(store, OPTIONS);
  await array.set(null, OLD);
  ends = true;
  await assert.rejects(array.set([0], 8), { code: "Aborted" });
  ends = false;
  modes.length = 0;
  await array.get();
  assert.ok(modes.length > 0 && modes.every((mode) => mode !== "default"), `${modes}`);
});
