/** Tests that messages and a crash are heard by a listener that is set later. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Inbox } from "./worker_start.ts";

test("a listener hears of messages and of a crash before and after it is set, once", async () => {
  const heard: string[] = [];
  const as = (name: string) => ({
    heard: (message: string) => heard.push(`${name} hears ${message}`),
    crashed: (reason: string) => heard.push(`${name}: ${reason}`),
  });
  const early = new Inbox<string>();
  early.listen(as("early"));
  early.heard("a");
  early.crashed("b");
  early.crashed("c");
  const late = new Inbox<string>();
  late.heard("a");
  late.crashed("b");
  late.listen(as("late"));
  assert.deepEqual(heard, ["early hears a", "early: b"]);
  await Promise.resolve();
  assert.deepEqual(heard.slice(2), ["late hears a", "late: b"]);
});

test("a listener that is replaced at once hears nothing", async () => {
  const inbox = new Inbox<string>();
  inbox.crashed("a");
  inbox.listen({ heard() {}, crashed: () => assert.fail("it was replaced") });
  inbox.listen({ heard() {}, crashed() {} });
  await Promise.resolve();
});
