/**
 * A contestant's page, in Chromium or in a browser without a driver: `prepare(job)`, `run({isPulsed})`, `visit(url, isPulsed)`. Each
 * contestant has a page of its own that stays open, and they take turns.
 */
import { TaskDuration } from "../../measure/task_duration.mjs";

/** The page of a contestant; that of another build of this package is bundled apart. */
const pageOf = (base, who) =>
  `${base}/page/${who === "before" ? "before" : "main_thread"}/index.html?who=${who}`;

const coldPage = (runUrl, who, isPulsed) =>
  `${runUrl("page")}/cold/${who}/${isPulsed ? "pulsed" : "index"}.html`;

const finished = (isPulsed) => (isPulsed ? window.pulsed : window.finished) !== undefined;

/** Chromium's, by which the work of the page's thread is known. */
export class ChromiumTab {
  #browser;
  #who;
  #page;
  #work;

  static async open(browser, base, who) {
    const tab = new ChromiumTab();
    tab.#browser = browser;
    tab.#who = who;
    const context = await browser.newContext();
    tab.#page = await context.newPage();
    await tab.#page.goto(pageOf(base, who));
    await tab.#page.waitForFunction(() => window.perform !== undefined);
    tab.#work = await TaskDuration.of(tab.#page);
    return tab;
  }

  perform(job) {
    return this.#page.evaluate((given) => window.perform(given), job);
  }

  /** Ready to run, and quiet. */
  async prepare(job) {
    await this.perform({ kind: "prepare", ...job });
    await this.#work.collectGarbage();
  }

  /** `{ms, work}`, or of a pulsed run `{ms, gap, frame}`: the pulse is work too. */
  async run(isPulsed) {
    const before = await this.#work.ms();
    const result = await this.perform({ kind: "run", isPulsed });
    await this.#page.waitForTimeout(SETTLE_MS);
    const work = (await this.#work.ms()) - before;
    return isPulsed ? result : { ...result, work };
  }

  /** A cold page in a new profile until its first tile. */
  async visit(runUrl, isPulsed) {
    const context = await this.#browser.newContext();
    try {
      const page = await context.newPage();
      const counter = await TaskDuration.of(page);
      await page.goto(coldPage(runUrl, this.#who, isPulsed));
      await page.waitForFunction(finished, isPulsed, { polling: 100 });
      if (isPulsed) return await page.evaluate(() => window.pulsed);
      const ms = await page.evaluate(() => window.finished);
      return { ms, work: await counter.ms() };
    } finally {
      await context.close();
    }
  }

  close() {
    return this.#page.context().close();
  }
}

/** What follows a run in the page's thread, such as freeing, is part of it. */
const SETTLE_MS = 50;

/** A browser's of its own, so that none stands in another's background. */
export class DriverlessTab {
  #errands;
  #who;
  #desk;
  #process;

  constructor(browser, errands, base, who) {
    this.#errands = errands;
    this.#who = who;
    this.#desk = `${who}-${Math.floor(Math.random() * 2 ** 32).toString(36)}`;
    this.#process = browser.open(`${pageOf(base, who)}&desk=${this.#desk}`);
  }

  perform(job) {
    return this.#errands.give(this.#desk, job);
  }

  prepare(job) {
    return this.perform({ kind: "prepare", ...job });
  }

  run(isPulsed) {
    return this.perform({ kind: "run", isPulsed });
  }

  visit(runUrl, isPulsed) {
    return this.perform({ kind: "visit", url: coldPage(runUrl, this.#who, isPulsed) });
  }

  close() {
    return this.#process.close();
  }
}
