/** Bodies are read up to their limit, whatever their headers say. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BodyTooLarge, bodyOf, unreadBy } from "./body.ts";

/** A stream of `count` pieces of ten bytes. */
function stream(count: number, state = { pulled: 0, isCancelled: false }) {
  const body = new ReadableStream({
    pull(controller) {
      if (state.pulled === count) return controller.close();
      state.pulled += 1;
      controller.enqueue(new Uint8Array(10).fill(state.pulled));
    },
    cancel() {
      state.isCancelled = true;
    },
  });
  return { body, state };
}

const answer = (count: number, status: number, headers = {}) => {
  const { body, state } = stream(count);
  return { response: new Response(body, { status, headers }), state };
};

test("a whole body, of any announced length", async () => {
  for (const announced of [undefined, "30", "7", "1000"]) {
    const { response } = answer(3, 200, announced ? { "content-length": announced } : {});
    const bytes = new Uint8Array(await bodyOf(response, [1000, 5]));
    assert.deepEqual([bytes.length, bytes[0], bytes[29]], [30, 1, 3], announced);
  }
});

test("more than the limit: the stream is cancelled, and the error says what", async () => {
  for (const [status, limit] of [
    [200, 100],
    [206, 50],
  ] as const) {
    const { response, state } = answer(1e9, status);
    const error = await bodyOf(response, [100, 50]).catch((error) => error);
    assert.deepEqual(unreadBy(error), { limit });
    assert.ok(state.isCancelled);
    assert.ok(state.pulled < 20);
  }
});

test("an announced length beyond the limit is not read at all", async () => {
  const { response, state } = answer(1e9, 200, { "content-length": "5000" });
  const error = await bodyOf(response, [100, 50]).catch((error) => error);
  assert.deepEqual(unreadBy(error), { limit: 100, announced: 5000 });
  assert.ok(state.isCancelled);
});

test("of the page of an error, the beginning is read", async () => {
  const { response, state } = answer(1e9, 403, { "content-length": "99999999" });
  assert.equal((await bodyOf(response, [10, 10])).byteLength, 8192);
  assert.ok(state.isCancelled);
});

test("an object that only has arrayBuffer is checked after it was read", async () => {
  const plain = (length: number, status = 200) => ({
    status,
    arrayBuffer: async () => new ArrayBuffer(length),
  });
  assert.equal((await bodyOf(plain(10), [10, 1])).byteLength, 10);
  await assert.rejects(bodyOf(plain(11), [10, 1]), BodyTooLarge);
  const view = { status: 200, arrayBuffer: async () => new Uint8Array(8).subarray(2, 5) };
  assert.equal((await bodyOf(view, [10, 1])).byteLength, 3);
});
