/** Tests that a crash is heard by a listener that is set later. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Crash } from "./crash.ts";

test("a listener hears of a crash before and after it is set, once", async () => {
  const heard: string[] = [];
  const early = new Crash();
  early.listener = (reason) => heard.push(`early ${reason}`);
  early.report("a");
  early.report("b");
  const late = new Crash();
  late.report("a");
  late.listener = (reason) => heard.push(`late ${reason}`);
  await Promise.resolve();
  assert.deepEqual(heard, ["early a", "late a"]);
});

test("a listener that is replaced at once hears nothing", async () => {
  const crash = new Crash();
  crash.report("a");
  crash.listener = () => assert.fail("it was replaced");
  crash.listener = () => {};
  await Promise.resolve();
});
