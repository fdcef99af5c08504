/**
 * What the main thread of a page in Chromium works, by DevTools: `TaskDuration` as the browser itself counts it, by the wall's clock
 * and by the thread's own. On a quiet machine they agree; on a busy one the first counts time that other processes had.
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

  /** `{work, processor}` in ms, since they began to be counted. */
  async worked() {
    const counted = {};
    for (const [name, session] of Object.entries(this.#sessions)) {
      const { metrics } = await session.send("Performance.getMetrics");
      counted[name] = 1e3 * metrics.find((metric) => metric.name === "TaskDuration").value;
    }
    return counted;
  }

  /** What an action costs, and what follows it in the same thread, such as freeing. */
  async during(act) {
    const before = await this.worked();
    const result = await act();
    await sleep(SETTLE_MS);
    const after = await this.worked();
    return { ...result, work: after.work - before.work, processor: after.processor - before.processor };
  }

  /** Waits for a variable of the page, and does not make it work as a driver's own waiting would. */
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

  /** Frees what earlier work has left, so that nobody pays for what another has dropped. */
  collectGarbage() {
    return this.#sessions.work.send("HeapProfiler.collectGarbage");
  }
}
