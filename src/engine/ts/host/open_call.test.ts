/**
 * Tests what a call sends before its answer: parts of streams, which the page takes, and
 * progress once a frame.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ToPage } from "../port/protocol.ts";
import type { Engine } from "./engine.ts";
import { openCall } from "./open_call.ts";

function opened({ isAbortable = false, isLocal = false } = {}) {
  const posted: { message: ToPage; transfer: ArrayBuffer[] }[] = [];
  const post = (message: ToPage, transfer: ArrayBuffer[]) => void posted.push({ message, transfer });
  const engine = { page: { isLocal } } as Engine;
  const call = openCall(7, { post, isAbortable, engine });
  const events = () => posted.map(({ message }) => (message as { event: unknown }).event);
  return { call, posted, events };
}

function clock(context: TestContext): (ms: number) => void {
  let now = 1000;
  context.mock.method(performance, "now", () => now);
  return (ms) => {
    now = 1000 + ms;
  };
}

test("progress is sent at most every 16 ms, and always at the end", (t) => {
  const at = clock(t);
  const { call, events } = opened();
  for (const ms of [0, 5, 15, 16, 20, 31, 33, 34]) {
    at(ms);
    call.context.tell(ms);
  }
  assert.deepEqual(events(), [0, 16, 33]);
  call.flush();
  assert.deepEqual(events(), [0, 16, 33, 34]);
  call.flush();
  assert.deepEqual(events(), [0, 16, 33, 34]);
});

test("on one thread every progress event is sent", (t) => {
  clock(t);
  const { call, events } = opened({ isLocal: true });
  for (const each of [1, 2, 3]) call.context.tell(each);
  assert.deepEqual(events(), [1, 2, 3]);
});

test("events have the call's id and their buffers", () => {
  const { call, posted } = opened();
  const buffer = new ArrayBuffer(4);
  call.context.send("part", [buffer]);
  assert.deepEqual(posted, [{ message: { type: "event", call: 7, event: "part" }, transfer: [buffer] }]);
});

test("a stream waits until its parts are taken, in order", async () => {
  const { call } = opened();
  const heard: string[] = [];
  const first = call.context.whenTaken().then(() => heard.push("first"));
  const second = call.context.whenTaken().then(() => heard.push("second"));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(heard, []);
  call.taken();
  await first;
  assert.deepEqual(heard, ["first"]);
  call.taken();
  await second;
  assert.deepEqual(heard, ["first", "second"]);
});

test("parts that are taken early are counted", async () => {
  const { call } = opened();
  call.taken();
  call.taken();
  await call.context.whenTaken();
  await call.context.whenTaken();
  let isOver = false;
  void call.context.whenTaken().then(() => {
    isOver = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isOver, false);
});

test("only an abortable call has a signal", () => {
  assert.equal(opened().call.context.signal, undefined);
  const { call } = opened({ isAbortable: true });
  call.controller?.abort();
  assert.equal(call.context.signal?.aborted, true);
});

test("a buffer is transferred once, and shared memory never", () => {
  const { call } = opened();
  const buffer = new ArrayBuffer(4);
  call.context.give(buffer);
  call.context.give(buffer);
  call.context.give(new SharedArrayBuffer(4));
  assert.deepEqual(call.transfer, [buffer]);
});
