/**
 * Worker threads that die at each moment: a read or a reduction ends within seconds, in the right
 * answer or in a typed error, and the next one works. The engine is on the caller's thread or in a
 * worker.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "../../dist/index.js";
import { MOMENTS, Reaper, store, verdict } from "../support/faults/dying_workers.mjs";

const threads = process.getBuiltinModule("node:worker_threads");
const { Worker } = threads;
const unhandled = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));

let reaper = new Reaper("never", "terminate", 0);

/** A thread that the reaper may end. */
class Mortal extends Worker {
  #heard = 0;
  #posted = 0;

  constructor(source, options) {
    const isStarved = reaper.how === "memory" && reaper.left > 0;
    super(source, { ...options, ...(isStarved && { resourceLimits: { maxOldGenerationSizeMb: 1 } }) });
    reaper.made += 1;
    if (isStarved) reaper.left -= 1;
    // A thread fails after its constructor has returned. One whose constructor throws belongs
    // to no one, and keeps this process alive.
    else queueMicrotask(() => reaper.passed(this, "made"));
  }

  on(name, listener) {
    if (name !== "message") return super.on(name, listener);
    return super.on(name, (message) => {
      this.#heard += 1;
      listener(message);
      reaper.passed(this, "heard", this.#heard);
    });
  }

  postMessage(...message) {
    super.postMessage(...message);
    this.#posted += 1;
    reaper.passed(this, "posted", this.#posted);
  }

  die(how) {
    // An ended thread has no listeners any more, and cannot throw.
    if (this.threadId < 0) return;
    if (how === "throw") this.emit("error", new Error("the program of the worker threw"));
    else this.terminate();
  }
}

/** Within this time a case must end. */
const PATIENCE_MS = 30_000;
/** A worker that dies each time may be replaced so often in one read of 16 chunks. */
const MAX_WORKERS = 80;

const files = await store();
threads.Worker = Mortal;

for (const engine of ["caller", "worker"]) {
  for (const how of ["terminate", "throw", "memory"]) {
    for (const most of [1, Number.POSITIVE_INFINITY]) {
      const moments = how === "memory" ? ["made"] : MOMENTS;
      const times = most === 1 ? "one worker dies" : "every worker dies";
      for (const act of ["read", "reduction"])
        test(`${act}, engine on ${engine}, ${how}: ${times}`, async () => {
          const said = {};
          for (const moment of moments) {
            zarr.dispose();
            await zarr.init({ engine, workers: 2 }).catch(() => {});
            reaper = new Reaper(moment, how, most);
            said[moment] = await verdict(zarr, files, PATIENCE_MS, act);
            assert.ok(reaper.made <= MAX_WORKERS, `${moment}: ${reaper.made} workers`);
            reaper = new Reaper("never", how, 0);
            assert.equal(await verdict(zarr, files, PATIENCE_MS, act), "right", `after ${moment}`);
          }
          const bad = Object.entries(said).filter(
            ([, verdict]) => verdict !== "right" && verdict !== "typed",
          );
          assert.deepEqual(bad, []);
          if (most === 1) assert.ok(Object.values(said).includes("right"), JSON.stringify(said));
        });
    }
  }
}

test("no rejection was left alone", () => {
  zarr.dispose();
  assert.deepEqual(unhandled, []);
});
