/**
 * Measures the work of a page's main thread in Chromium, by `TaskDuration` of DevTools: in elapsed
 * time and in the thread's processor time. On a busy machine the elapsed time includes time that
 * other processes used.
 */

import { setTimeout as sleep } from "node:timers/promises";

const SETTLE_MS = 50;

const DOMAINS = { work: "timeTicks", processor: "threadTicks" };

export class MainThread {
  #sessions = {};

  static async of(page) {
    const thread = new MainThread();
    for (const [name, timeDomain] of Object.entries(DOMAINS)) {
      const session = await page.context().newCDPSession(page);
      await session.send("Performance.enable", { timeDomain });
      thread.#sessions[name] = session;
    }
    return thread;
  }

  /** `{work, processor}` in ms since the counters were enabled. */
  async worked() {
    const counted = {};
    for (const [name, session] of Object.entries(this.#sessions)) {
      const { metrics } = await session.send("Performance.getMetrics");
      counted[name] = 1e3 * metrics.find((metric) => metric.name === "TaskDuration").value;
    }
    return counted;
  }

  /** Measures an action, including work that follows it, such as garbage collection. */
  async during(act) {
    const before = await this.worked();
    const result = await act();
    await sleep(SETTLE_MS);
    const after = await this.worked();
    return { ...result, work: after.work - before.work, processor: after.processor - before.processor };
  }

  /** Waits for a variable of the page. Unlike the driver's waiting, this costs the page no work. */
  async value(name) {
    for (;;) {
      const { result } = await this.#sessions.work.send("Runtime.evaluate", {
        expression: `globalThis.${name}`,
        returnByValue: true,
      });
      if (result.value !== undefined) return result.value;
      await sleep(SETTLE_MS);
    }
  }

  /** Frees the garbage of earlier runs, so that the next run does not pay for it. */
  collectGarbage() {
    return this.#sessions.work.send("HeapProfiler.collectGarbage");
  }
}
