/**
 * Tests when an engine counts as lost, with a fake clock.
 */

import assert from "node:assert/strict";
import { afterEach, beforeEach, type TestContext, test } from "node:test";
import { TIMEOUTS, watchSilence } from "./timeouts.ts";

/** An engine that answers pings unless it is silenced. */
class FakeEngine {
  isBusy = true;
  heard = 0;
  pings = 0;
  answers = true;
  gone: number[] = [];

  post(message: { type: "ping" }): void {
    assert.equal(message.type, "ping");
    this.pings += 1;
    if (this.answers) this.heard += 1;
  }

  watch(): void {
    watchSilence(this, (ms) => this.gone.push(ms));
  }
}

const host = globalThis as { document?: { visibilityState: string } };
const usual = { ...TIMEOUTS };

beforeEach(() => {
  host.document = { visibilityState: "visible" };
});

afterEach(() => {
  delete host.document;
  Object.assign(TIMEOUTS, usual);
});

/**
 * Replaces intervals; what is returned lets so many ms pass. Node's own mock timers go on after
 * `clearInterval` in version 20.
 */
function withClock({ mock }: TestContext): (ms: number) => void {
  const running = new Set<{ run: () => void; every: number; next: number }>();
  let now = 0;
  mock.method(globalThis, "setInterval", ((run: () => void, every: number) => {
    const timer = { run, every, next: now + every };
    running.add(timer);
    return timer;
  }) as never);
  mock.method(globalThis, "clearInterval", ((timer: never) => running.delete(timer)) as never);
  return (ms) => {
    for (const end = now + ms; now < end; now += 1) {
      for (const timer of [...running]) {
        if (timer.next !== now + 1) continue;
        timer.next += timer.every;
        timer.run();
      }
    }
  };
}

test("an engine counts as lost after 30 s of silence, and not before", (t) => {
  const tick = withClock(t);
  const engine = new FakeEngine();
  engine.answers = false;
  engine.watch();
  tick(29_999);
  assert.deepEqual(engine.gone, []);
  assert.equal(engine.pings, 5);
  tick(1);
  assert.deepEqual(engine.gone, [30_000]);
  tick(120_000);
  assert.deepEqual(engine.gone, [30_000]);
  assert.equal(engine.pings, 5);
});

test("an engine that answers pings is never lost", (t) => {
  const tick = withClock(t);
  const engine = new FakeEngine();
  engine.watch();
  tick(3_600_000);
  assert.deepEqual(engine.gone, []);
});

test("any message ends the silence", (t) => {
  const tick = withClock(t);
  const engine = new FakeEngine();
  engine.answers = false;
  engine.watch();
  tick(25_000);
  engine.heard += 1;
  tick(29_000);
  assert.deepEqual(engine.gone, []);
  tick(6_000);
  assert.deepEqual(engine.gone, [30_000]);
});

test("while the page is hidden no engine counts as lost", (t) => {
  const tick = withClock(t);
  const engine = new FakeEngine();
  engine.answers = false;
  host.document = { visibilityState: "hidden" };
  engine.watch();
  tick(600_000);
  assert.deepEqual(engine.gone, []);
  host.document = { visibilityState: "visible" };
  tick(29_000);
  assert.deepEqual(engine.gone, []);
  tick(1_000);
  assert.deepEqual(engine.gone, [30_000]);
});

test("an idle engine is not watched, and a busy one is watched again", (t) => {
  const tick = withClock(t);
  const engine = new FakeEngine();
  engine.answers = false;
  engine.watch();
  engine.isBusy = false;
  tick(60_000);
  assert.deepEqual([engine.gone, engine.pings], [[], 0]);
  engine.isBusy = true;
  engine.watch();
  tick(30_000);
  assert.deepEqual(engine.gone, [30_000]);
});

test("further calls start no second watch", (t) => {
  const tick = withClock(t);
  const engine = new FakeEngine();
  engine.watch();
  engine.watch();
  tick(5_000);
  assert.equal(engine.pings, 1);
});

test("the time limit is configurable in one place", (t) => {
  const tick = withClock(t);
  Object.assign(TIMEOUTS, { pingMs: 100, silentMs: 250 });
  const engine = new FakeEngine();
  engine.answers = false;
  engine.watch();
  tick(299);
  assert.deepEqual(engine.gone, []);
  tick(1);
  assert.deepEqual(engine.gone, [300]);
});
