/**
 * Tests parts of a read that are copied into the caller's own memory.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { targetBoxOf } from "../../engine/ts/elements/loops.ts";
import { scatterElements } from "../../engine/ts/elements/scatter.ts";
import type { TypeDescription } from "../../engine/ts/model/data_type.ts";
import type { PartEvent } from "../../engine/ts/port/operations.ts";
import { PartScatterer } from "./scattered.ts";

const STEPS = { targetBoxOf, scatterElements };

const SHORT: TypeDescription = { name: "int16", kind: "integer", size: 2, view: "Int16Array", widens: false };
const BFLOAT: TypeDescription = {
  name: "bfloat16",
  kind: "float",
  size: 2,
  components: 1,
  view: "Uint16Array",
  widens: true,
};

const LAYOUT = { shape: [2, 3], kept: [true, true], order: [0, 1] };

const part = (start: number[], shape: number[], values: number[]): PartEvent => ({
  ...LAYOUT,
  start,
  shape,
  bytes: new Uint8Array(Int16Array.from(values).buffer),
});

test("parts are scattered in any order, and each says so once", async () => {
  const out = new Int16Array(6);
  const scatterer = new PartScatterer(out, { type: SHORT, form: "plain" }, STEPS, undefined);
  let count = 0;
  const taken = () => {
    count += 1;
  };
  scatterer.begin(LAYOUT);
  scatterer.scatter(part([0, 1], [2, 2], [2, 3, 5, 6]), taken);
  scatterer.scatter(part([0, 0], [2, 1], [1, 4]), taken);
  const { bytes } = await scatterer.finish();
  assert.deepEqual(out, Int16Array.of(1, 2, 3, 4, 5, 6));
  assert.equal(bytes.buffer, out.buffer);
  assert.equal(count, 2);
});

test("a view into a larger buffer leaves the bytes around it unchanged", async () => {
  const memory = new Int16Array(10).fill(-1);
  const scatterer = new PartScatterer(
    memory.subarray(2, 8),
    { type: SHORT, form: "plain" },
    STEPS,
    undefined,
  );
  scatterer.begin(LAYOUT);
  scatterer.scatter(part([0, 0], [2, 3], [1, 2, 3, 4, 5, 6]), () => {});
  await scatterer.finish();
  assert.deepEqual(memory, Int16Array.of(-1, -1, 1, 2, 3, 4, 5, 6, -1, -1));
});

test("a result in F order", async () => {
  const out = new Int16Array(6);
  const scatterer = new PartScatterer(out, { type: SHORT, form: "plain" }, STEPS, undefined);
  scatterer.begin({ ...LAYOUT, order: [1, 0] });
  // The part's own bytes are in that order too: the first column, then the second.
  scatterer.scatter({ ...part([0, 1], [2, 2], [2, 5, 3, 6]), order: [1, 0] }, () => {});
  await scatterer.finish();
  assert.deepEqual(out, Int16Array.of(0, 0, 2, 5, 3, 6));
});

test("memory of another length is rejected before anything is written", () => {
  const scatterer = new PartScatterer(new Int16Array(5), { type: SHORT, form: "plain" }, STEPS, undefined);
  assert.throws(() => scatterer.begin(LAYOUT), {
    code: "Argument",
    expected: "12 bytes",
    actual: "10 bytes",
  });
});

test("numbers to be widened are not packed in the caller's memory", async () => {
  const out = new Float32Array(6);
  const scatterer = new PartScatterer(out, { type: BFLOAT, form: "plain" }, STEPS, undefined);
  scatterer.begin(LAYOUT);
  scatterer.scatter(part([0, 0], [2, 3], [1, 2, 3, 4, 5, 6]), () => {});
  const { bytes } = await scatterer.finish();
  assert.deepEqual([...out], [0, 0, 0, 0, 0, 0]);
  assert.deepEqual(new Int16Array(bytes.buffer), Int16Array.of(1, 2, 3, 4, 5, 6));
});

test("after an abort nothing is written, but parts are still taken", async () => {
  const out = new Int16Array(6);
  const controller = new AbortController();
  const scatterer = new PartScatterer(out, { type: SHORT, form: "plain" }, STEPS, controller.signal);
  scatterer.begin(LAYOUT);
  const reason = new Error("gone");
  controller.abort(reason);
  let count = 0;
  scatterer.scatter(part([0, 0], [2, 3], [1, 2, 3, 4, 5, 6]), () => {
    count += 1;
  });
  await assert.rejects(scatterer.finish(), reason);
  assert.deepEqual([...out], [0, 0, 0, 0, 0, 0]);
  assert.equal(count, 1);
});
