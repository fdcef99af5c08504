/**
 * Tests the gate of shared memory: closing waits for the writers inside and admits no others.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { closeGate, newGate, passGate } from "./gate.ts";

test("closing a gate waits for the writers inside and admits no others", async () => {
  const gate = newGate();
  let writes = 0;
  const write = () => {
    writes += 1;
  };
  assert.equal(passGate(gate, write), true);
  let closing: Promise<void> | undefined;
  passGate(gate, () => {
    closing = closeGate(gate);
  });
  assert.ok(closing instanceof Promise);
  await closing;
  assert.equal(passGate(gate, write), false);
  assert.equal(writes, 1);
  assert.equal(closeGate(gate), undefined);
});

test("a writer that throws leaves the gate", () => {
  const gate = newGate();
  const fails = () => {
    throw new Error("no room");
  };
  assert.throws(() => passGate(gate, fails), /no room/);
  assert.equal(closeGate(gate), undefined);
});
