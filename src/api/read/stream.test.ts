/**
 * Tests the parts of a stream: they are taken in order, and each says so once, until the end, an
 * error, or until the caller leaves.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TypeDescription } from "../../engine/ts/model/data_type.ts";
import type { PartEvent } from "../../engine/ts/port/operations.ts";
import { PartQueue } from "./stream.ts";

const BYTE: TypeDescription = { name: "uint8", kind: "integer", size: 1, view: "Uint8Array", widens: false };
const TEXT: TypeDescription = { name: "string", kind: "string", widens: false };

/** One element, in row `at` of two dimensions. The result keeps the first. */
const part = (at: number): PartEvent => ({
  shape: [1, 1],
  kept: [true, false],
  order: [0, 1],
  start: [at, 5],
  bytes: Uint8Array.of(at),
});

function filled(count: number) {
  const queue = new PartQueue();
  const taken: number[] = [];
  for (let at = 0; at < count; at += 1) queue.add(part(at), BYTE, "plain", () => taken.push(at));
  return { queue, taken };
}

test("parts are returned in order, and each says when it is taken", async () => {
  const { queue, taken } = filled(2);
  await queue.settled();
  assert.deepEqual(taken, []);
  assert.deepEqual(await queue.next(), {
    data: Uint8Array.of(0),
    shape: [1],
    stride: [1],
    start: [0],
    offset: [0, 5],
  });
  assert.deepEqual(taken, [0]);
  assert.deepEqual((await queue.next())?.data, Uint8Array.of(1));
  assert.deepEqual(taken, [0, 1]);
});

test("the first caller gets the first part", async () => {
  const queue = new PartQueue();
  const [first, second] = [queue.next(), queue.next()];
  queue.add(part(3), BYTE, "plain", () => {});
  queue.add(part(4), BYTE, "plain", () => {});
  assert.deepEqual((await first)?.start, [3]);
  assert.deepEqual((await second)?.start, [4]);
});

test("after the end the remaining parts are returned, then nothing", async () => {
  const { queue } = filled(1);
  await queue.settled();
  queue.end({});
  assert.deepEqual((await queue.next())?.start, [0]);
  assert.equal(await queue.next(), undefined);
  assert.equal(await queue.next(), undefined);
});

test("an error is reported once, before the remaining parts", async () => {
  const { queue } = filled(1);
  await queue.settled();
  const error = new Error("gone");
  queue.end({ error });
  queue.end({});
  await assert.rejects(queue.next(), error);
  assert.equal(await queue.next(), undefined);
});

test("leaving the stream ends a pending call at once", async () => {
  const queue = new PartQueue();
  const waiting = queue.next();
  queue.stop();
  assert.equal(await waiting, undefined);
});

test("a part that cannot be converted ends the stream", async () => {
  const queue = new PartQueue();
  // Offsets of a text that are not there.
  queue.add({ ...part(0), bytes: new Uint8Array(0) }, TEXT, "plain", () => {});
  await assert.rejects(queue.next());
});
