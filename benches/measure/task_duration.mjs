/** What the main thread of a page in Chromium has worked, as the browser itself counts it (`TaskDuration`). */

export class TaskDuration {
  #session;

  static async of(page) {
    const counter = new TaskDuration();
    counter.#session = await page.context().newCDPSession(page);
    await counter.#session.send("Performance.enable");
    return counter;
  }

  /** In ms since the page's process began to count. */
  async ms() {
    const { metrics } = await this.#session.send("Performance.getMetrics");
    return 1e3 * metrics.find(({ name }) => name === "TaskDuration").value;
  }

  /** Frees what earlier work has left, so that nobody pays for what another has dropped. */
  collectGarbage() {
    return this.#session.send("HeapProfiler.collectGarbage");
  }
}
