/**
 * Tests the page's end of the port. The test plays the engine: it checks the messages and sends
 * answers.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldsOfError, THROWN, ZarrError } from "../model/errors.ts";
import { Connection } from "./connection.ts";
import type { Ask, Channel, ToEngine, ToPage } from "./protocol.ts";
import { NOBODY } from "./worker_start.ts";

interface Sent {
  messages: ToEngine[];
  transfer: ArrayBuffer[];
}

/** A channel that clones messages, as workers do, and records them. */
class FakeChannel implements Channel {
  readonly kind = "blob";
  readonly isLocal: boolean;
  readonly sent: Sent[] = [];
  readonly held: boolean[] = [];
  isClosed = false;
  #listener: Parameters<Channel["listen"]>[0] = NOBODY;

  constructor(isLocal = false) {
    this.isLocal = isLocal;
  }

  post(messages: ToEngine[], transfer: ArrayBuffer[]): void {
    const crossed = this.isLocal ? messages : structuredClone(messages, { transfer });
    this.sent.push({ messages: crossed, transfer });
  }

  hold(isBusy: boolean): void {
    this.held.push(isBusy);
  }

  close(): void {
    this.isClosed = true;
  }

  listen(listener: Parameters<Channel["listen"]>[0]): void {
    this.#listener = listener;
  }

  /** All that was sent, by type. */
  all<Type extends ToEngine["type"]>(type: Type): Extract<ToEngine, { type: Type }>[] {
    return this.sent
      .flatMap(({ messages }) => messages)
      .filter((message): message is Extract<ToEngine, { type: Type }> => message.type === type);
  }

  says(...messages: ToPage[]): void {
    this.#listener.heard(messages);
  }
}

function connected(isLocal = false) {
  const channel = new FakeChannel(isLocal);
  const warnings: unknown[][] = [];
  const connection = new Connection(channel, {
    onwarning: (...warning) => warnings.push(warning),
    onlost: () => {},
  });
  return { channel, connection, warnings };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A call of an operation that takes bytes. */
const crc = (connection: Connection, value: Uint8Array, options = {}) =>
  connection.call("crc32", () => ({ value }), options);

/** The test checks rejections later. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

test("messages of one turn are posted together, in order, with all buffers", async () => {
  const { channel, connection } = connected();
  const [first, second] = [new Uint8Array(1), new Uint8Array(2)];
  void crc(connection, first, { transfer: [first.buffer] });
  void crc(connection, second, { transfer: [second.buffer] });
  connection.post({ type: "ping" });
  assert.equal(channel.sent.length, 0);
  await turn();
  assert.equal(channel.sent.length, 1);
  assert.deepEqual(
    channel.sent[0]?.messages.map(({ type }) => type),
    ["call", "call", "ping"],
  );
  assert.equal(channel.sent[0]?.transfer.length, 2);
  assert.equal(first.byteLength, 0);
  connection.post({ type: "ping" });
  await turn();
  assert.equal(channel.sent.length, 2);
});

test("a message to an engine on this thread is posted at once", () => {
  const { channel, connection } = connected(true);
  void crc(connection, new Uint8Array(1));
  assert.equal(channel.sent.length, 1);
});

test("answers settle their calls in any order", async () => {
  const { channel, connection } = connected();
  const calls = [crc(connection, new Uint8Array(1)), crc(connection, new Uint8Array(1))];
  await turn();
  const [first, second] = channel.all("call");
  channel.says({ type: "done", call: second?.call ?? 0, value: 22 });
  channel.says({ type: "done", call: first?.call ?? 0, value: 11 });
  assert.deepEqual(await Promise.all(calls), [11, 22]);
  assert.deepEqual(channel.held, [true, false]);
});

test("a failure is the error that the engine threw", async () => {
  const { channel, connection } = connected();
  const calling = quiet(crc(connection, new Uint8Array(1)));
  await turn();
  const error = fieldsOfError(new ZarrError("Limit", "too much", { path: "/a" }));
  channel.says({ type: "failed", call: 1, error });
  await assert.rejects(calling, { name: "ZarrError", code: "Limit", message: "too much", path: "/a" });
});

test("a message that cannot be cloned fails only its own call", async () => {
  const { channel, connection } = connected();
  const good = crc(connection, new Uint8Array(1));
  const bad = quiet(connection.call("crc32", () => ({ value: (() => 1) as never })));
  const other = crc(connection, new Uint8Array(2));
  await turn();
  await assert.rejects(bad, { code: "Argument", message: /cannot be cloned/ });
  assert.deepEqual(
    channel.all("call").map(({ call }) => call),
    [1, 3],
  );
  channel.says({ type: "done", call: 1, value: 1 }, { type: "done", call: 3, value: 3 });
  assert.deepEqual(await Promise.all([good, other]), [1, 3]);
});

test("an abort rejects at once with the caller's reason and is sent to the engine", async () => {
  const { channel, connection } = connected();
  const controller = new AbortController();
  const calling = quiet(crc(connection, new Uint8Array(1), { signal: controller.signal }));
  await turn();
  const reason = { why: "gone" };
  controller.abort(reason);
  await assert.rejects(calling, (caught) => caught === reason);
  await turn();
  assert.deepEqual(channel.all("abort"), [{ type: "abort", call: 1 }]);
  // The engine is still working, so Node's process must stay alive.
  assert.deepEqual(channel.held, [true]);
  channel.says({ type: "done", call: 1, value: 0 });
  assert.deepEqual(channel.held, [true, false]);
});

test("a call into the caller's memory rejects when the engine no longer writes to it", async () => {
  const { channel, connection } = connected();
  const controller = new AbortController();
  let isOver = false;
  const calling = quiet(
    crc(connection, new Uint8Array(1), { signal: controller.signal, onAbort: "settled" }),
  );
  calling.catch(() => {
    isOver = true;
  });
  await turn();
  controller.abort("gone");
  await turn();
  assert.equal(isOver, false);
  channel.says({ type: "failed", call: 1, error: { name: "AbortError", message: "" } });
  await assert.rejects(calling, (caught) => caught === "gone");
});

test("a call with an aborted signal is not sent", async () => {
  const { channel, connection } = connected();
  await assert.rejects(crc(connection, new Uint8Array(1), { signal: AbortSignal.abort("early") }));
  await turn();
  assert.deepEqual(channel.sent, []);
});

test("events reach their listener, which says that it took them", async () => {
  const { channel, connection } = connected();
  const heard: unknown[] = [];
  const onEvent = (event: unknown, taken: () => void) => {
    heard.push(event);
    if (event === "second") taken();
  };
  void crc(connection, new Uint8Array(1), { onEvent });
  await turn();
  channel.says({ type: "event", call: 1, event: "first" });
  await turn();
  assert.deepEqual(channel.all("taken"), []);
  channel.says({ type: "event", call: 1, event: "second" });
  await turn();
  assert.deepEqual(channel.all("taken"), [{ type: "taken", call: 1 }]);
  assert.deepEqual(heard, ["first", "second"]);
});

test("an error that a listener throws ends its call", async () => {
  const { channel, connection } = connected();
  const thrown = new Error("the listener's own");
  const onEvent = () => {
    throw thrown;
  };
  const calling = quiet(crc(connection, new Uint8Array(1), { onEvent }));
  await turn();
  channel.says({ type: "event", call: 1, event: "any" });
  await assert.rejects(calling, thrown);
  await turn();
  assert.equal(channel.all("abort").length, 1);
});

/** A request of the engine to a user's store. */
const ask = (target: number, method: string, args: unknown[], call?: number): Ask => ({
  type: "ask",
  ask: 5,
  target,
  method,
  args,
  call,
});

test("a store's bytes are copied, and the copy is transferred", async () => {
  const { channel, connection } = connected();
  const memory = Uint8Array.of(9, 1, 2, 9);
  const store = { get: async () => memory.subarray(1, 3) };
  channel.says(ask(connection.objects.store(store), "get", ["/key"]));
  await turn();
  const [reply] = channel.all("reply");
  assert.deepEqual(reply?.value, Uint8Array.of(1, 2));
  assert.equal(channel.sent.at(-1)?.transfer.length, 1);
  assert.deepEqual(memory, Uint8Array.of(9, 1, 2, 9));
});

test("on one thread, too, a store's bytes are copied, at the moment at which it answers", async () => {
  const { channel, connection } = connected(true);
  const memory = Uint8Array.of(1);
  channel.says(ask(connection.objects.store({ get: () => memory }), "get", ["/key"]));
  memory.fill(2);
  assert.deepEqual(channel.all("reply")[0]?.value, Uint8Array.of(1));
});

test("the size of a value is sent with a range of it", async () => {
  const { channel, connection } = connected();
  const bytes = Object.assign(new Uint8Array(2), { [Symbol.for("zarr-wasm.size")]: 77 });
  const store = { get: () => undefined, getRange: () => bytes };
  channel.says(ask(connection.objects.store(store), "getRange", ["/key", { suffixLength: 2 }]));
  await turn();
  assert.equal(channel.all("reply")[0]?.size, 77);
  Object.assign(bytes, { [Symbol.for("zarr-wasm.version")]: "second" });
  channel.says(ask(connection.objects.store(store), "getRange", ["/key", { suffixLength: 2 }]));
  await turn();
  assert.equal(channel.all("reply")[1]?.version, "second");
});

test("a store gets the caller's own signal", async () => {
  const { channel, connection } = connected();
  const heard: unknown[] = [];
  const store = {
    get: (...args: unknown[]) => {
      heard.push(...args);
      return undefined;
    },
  };
  const { signal } = new AbortController();
  void crc(connection, new Uint8Array(1), { signal });
  await turn();
  channel.says(ask(connection.objects.store(store), "get", ["/key"], 1));
  assert.equal(heard[0], "/key");
  assert.equal((heard[1] as { signal: AbortSignal }).signal, signal);
});

test("a value that a store throws stays on the page and reaches the caller", async () => {
  const { channel, connection } = connected();
  const thrown = { not: "an error", with: () => "a function" };
  const store = {
    get: async () => {
      throw thrown;
    },
  };
  const calling = quiet(crc(connection, new Uint8Array(1)));
  channel.says(ask(connection.objects.store(store), "get", ["/key"]));
  await turn();
  const [threw] = channel.all("threw");
  assert.deepEqual([threw?.ask, threw?.name, threw?.message], [5, "Error", "[object Object]"]);
  // The engine uses the id as a cause.
  const cause = Object.assign(new Error(threw?.message), { [THROWN]: threw?.thrown });
  const error = fieldsOfError(new ZarrError("Store", "the store failed", { cause }));
  channel.says({ type: "failed", call: 1, error: structuredClone(error) });
  await assert.rejects(calling, (caught: unknown) => caught === thrown);
});

test("keys of any iterable are collected before they cross", async () => {
  const { channel, connection } = connected();
  const store = {
    get: () => undefined,
    async *list() {
      yield "/a";
      yield "/b";
    },
  };
  channel.says(ask(connection.objects.store(store), "list", [""]));
  await turn();
  assert.deepEqual(channel.all("reply")[0]?.value, ["/a", "/b"]);
});

test("an answer that is not bytes and cannot be cloned is left to the engine to refuse", async () => {
  const { channel, connection } = connected();
  const store = { get: () => ({ neither: () => "bytes" }) };
  channel.says(ask(connection.objects.store(store), "get", ["/key"]));
  await turn();
  assert.deepEqual(channel.all("reply")[0]?.value, {});
});

test("a request that the engine cancels is aborted on the page", async () => {
  const { channel, connection } = connected();
  let left: AbortSignal | undefined;
  const callback = (...args: unknown[]) => {
    left = args.at(-1) as AbortSignal;
    return new Promise(() => {});
  };
  channel.says(ask(connection.objects.callback(callback), "fetch", ["request"]));
  assert.equal(left?.aborted, false);
  channel.says({ type: "leave", ask: 5 });
  assert.equal(left?.aborted, true);
});

test("warnings name their store", () => {
  const { channel, connection, warnings } = connected();
  const store = { get: () => undefined };
  const id = connection.objects.store(store);
  channel.says({ type: "warning", message: "a chunk is odd", path: "/a", store: id });
  channel.says({ type: "warning", message: "plain", path: "/" });
  assert.deepEqual(warnings, [
    ["a chunk is odd", "/a", store],
    ["plain", "/", undefined],
  ]);
});

test("closing rejects every call, aborts the page's work and sends nothing more", async () => {
  const { channel, connection } = connected();
  let left: AbortSignal | undefined;
  const callback = (...args: unknown[]) => {
    left = args.at(-1) as AbortSignal;
    return new Promise(() => {});
  };
  const calls = [1, 2].map((length) => quiet(crc(connection, new Uint8Array(length))));
  await turn();
  channel.says(ask(connection.objects.callback(callback), "fetch", []));
  const error = new Error("over");
  connection.close(error);
  for (const calling of calls) await assert.rejects(calling, error);
  assert.equal(left?.aborted, true);
  assert.equal(channel.isClosed, true);
  assert.equal(channel.held.at(-1), false);
  const before = channel.sent.length;
  connection.post({ type: "ping" });
  await turn();
  assert.equal(channel.sent.length, before);
});
