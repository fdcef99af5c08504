/**
 * Tests the ids of the page's objects: an object is defined once before its first use, and
 * again after a change.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { FRESH } from "../model/memory.ts";
import { setDefiner } from "./definitions.ts";
import { Objects, perform } from "./objects.ts";
import type { ToEngine } from "./protocol.ts";

function made() {
  const posted: ToEngine[] = [];
  return { objects: new Objects((message) => posted.push(message), false), posted };
}

test("a user's store is defined once, with its methods", () => {
  const { objects, posted } = made();
  const store = { get: () => undefined, list: () => [], lockName: "lock", other: () => 1 };
  const id = objects.store(store);
  assert.equal(objects.store(store), id);
  assert.deepEqual(posted, [
    {
      type: "store",
      store: id,
      definition: { kind: "user", methods: ["get", "list"], lockName: "lock", isFresh: false },
    },
  ]);
  assert.equal(objects.target(id), store);
});

test("methods of the class count, and a Map is a store", () => {
  const { objects, posted } = made();
  objects.store(new Map());
  const definition = posted.map((message) => (message as { definition: unknown }).definition);
  assert.deepEqual(definition, [
    { kind: "user", methods: ["get", "set", "delete", "keys"], lockName: undefined, isFresh: false },
  ]);
});

test("a store with a new method keeps its id and is defined again", () => {
  const { objects, posted } = made();
  const store: Record<string, unknown> = { get: () => undefined };
  const id = objects.store(store);
  store.set = () => undefined;
  assert.equal(objects.store(store), id);
  assert.equal(posted.length, 2);
  assert.deepEqual((posted[1] as { definition: { methods: string[] } }).definition.methods, ["get", "set"]);
});

test("a store of this package is defined once; an equivalent one has its id", () => {
  const { objects, posted } = made();
  const [first, second] = [{}, {}];
  setDefiner(first, () => () => ({ kind: "opfs", path: "a", lockName: "l" }));
  setDefiner(second, (ids) => ids.store(first));
  assert.equal(objects.store(first), objects.store(second));
  assert.equal(posted.length, 1);
});

test("a value that is not an object is rejected as a store", () => {
  const { objects } = made();
  for (const store of ["text", 7, null, undefined])
    assert.throws(() => objects.store(store), { code: "Argument", actual: String(store) });
});

test("an array is defined after its store, and again for another store", () => {
  const { objects, posted } = made();
  const key = { warn: () => {} };
  const define = (_numbers: unknown, store: number) => ({ store }) as never;
  const [one, other] = [new Map(), new Map()];
  const id = objects.array(key, one, define);
  assert.equal(objects.array(key, one, define), id);
  assert.deepEqual(
    posted.map(({ type }) => type),
    ["store", "array"],
  );
  assert.notEqual(objects.array(key, other, define), id);
  assert.deepEqual(
    posted.map(({ type }) => type),
    ["store", "array", "store", "array"],
  );
});

test("an array receives warnings about its chunks", () => {
  const { objects } = made();
  const heard: string[] = [];
  const key = { warn: (message: string) => void heard.push(message) };
  const id = objects.array(key, new Map(), () => ({}) as never);
  objects.warnArray(id, "a chunk is odd");
  objects.warnArray(999, "nobody's");
  assert.deepEqual(heard, ["a chunk is odd"]);
});

test("an unknown id is a store error", () => {
  assert.throws(() => made().objects.target(12), { code: "Store" });
});

test("an object may have an id that the engine chose", () => {
  const { objects, posted } = made();
  const store = {};
  objects.keepAs(2 ** 31, store);
  assert.equal(objects.target(2 ** 31), store);
  assert.deepEqual(posted, []);
});

/** The answer of a store's `get`, with the page and the engine on one thread or on two. */
async function answerOf(store: object, isLocal: boolean, method = "get") {
  const objects = new Objects(() => {}, isLocal);
  const target = objects.store(store);
  const args = method === "get" ? ["/a"] : ["/a", { offset: 0, length: 2 }];
  const left = () => new AbortController().signal;
  const ask = { type: "ask" as const, ask: 1, target, method, args };
  return perform(objects, ask, { signal: undefined, storeOptions: undefined, left, isLocal });
}

test("bytes of a user's store are copied as soon as it has answered", async () => {
  for (const bytes of [Uint8Array.of(1, 2, 3), Uint8Array.of(0, 1, 2, 3).subarray(1)])
    for (const isLocal of [true, false]) {
      const answer = await answerOf({ get: () => bytes }, isLocal);
      assert.deepEqual(answer.value, Uint8Array.of(1, 2, 3));
      assert.notEqual((answer.value as Uint8Array).buffer, bytes.buffer);
      assert.equal(answer.transfer.length, isLocal ? 0 : 1);
    }
});

/** A store as this package's own are, which keeps none of its values. */
class Own {
  readonly bytes = Uint8Array.of(1, 2, 3);

  get [FRESH](): object {
    return Own.prototype;
  }

  async get(): Promise<Uint8Array> {
    return this.bytes;
  }

  async getRange(): Promise<Uint8Array> {
    return this.bytes;
  }
}

test("bytes that a store of this package has read are not copied", async () => {
  for (const method of ["get", "getRange"]) {
    const [here, there] = [new Own(), new Own()];
    assert.equal((await answerOf(here, true, method)).value, here.bytes);
    const answer = await answerOf(there, false, method);
    assert.equal((answer.value as Uint8Array).buffer, there.bytes.buffer);
    assert.deepEqual(answer.transfer, [there.bytes.buffer]);
  }
});

test("bytes of a store whose methods were replaced are copied", async () => {
  const bytes = Uint8Array.of(1, 2, 3);
  class Kept extends Own {
    override async get() {
      return bytes;
    }
  }
  for (const store of [new Kept(), Object.assign(new Own(), { get: () => bytes })]) {
    const answer = await answerOf(store, true);
    assert.deepEqual(answer.value, bytes);
    assert.notEqual(answer.value, bytes);
  }
});
