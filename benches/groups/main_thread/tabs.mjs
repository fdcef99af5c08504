/**
 * A contestant's page, in Chromium or in a browser without a driver: `prepare(job)`,
 * `run({isPulsed})`, `visit(url, isPulsed)`. Each contestant's page stays open; they take turns.
 */
import { MainThread } from "../../measure/main_thread.mjs";

/** The page of a contestant. Another build of this package (`before`) has its own page. */
const pageOf = (base, who) =>
  `${base}/page/${who === "before" ? "before" : "main_thread"}/index.html?who=${who}`;

const coldPage = (runUrl, who, isPulsed) =>
  `${runUrl("page")}/cold/${who}/${isPulsed ? "pulsed" : "index"}.html`;

/** An action that takes longer counts as failed, as in `line/page_jobs.mjs`. */
const LIMIT_MS = 180_000;

function limited(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer to ${what}`)), LIMIT_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** A page in Chromium, which measures the work of the page's thread. */
export class ChromiumTab {
  #browser;
  #base;
  #who;
  #page;
  #thread;

  static async open(browser, base, who, url = pageOf(base, who)) {
    const tab = new ChromiumTab();
    tab.#browser = browser;
    tab.#base = base;
    tab.#who = who;
    const context = await browser.newContext();
    tab.#page = await context.newPage();
    await tab.#page.goto(url);
    await tab.#page.waitForFunction(() => window.perform !== undefined);
    tab.#thread = await MainThread.of(tab.#page);
    return tab;
  }

  perform(job) {
    return limited(
      this.#page.evaluate((given) => window.perform(given), job),
      JSON.stringify(job),
    );
  }

  /** Prepares a run and waits until the page is idle. */
  async prepare(job) {
    await this.perform({ kind: "prepare", ...job });
    await this.#thread.collectGarbage();
  }

  /** `{ms, work, processor}`; for a pulsed run `{ms, gap, frame}`, as the pulse is work too. */
  run(isPulsed) {
    const run = () => this.perform({ kind: "run", isPulsed });
    return isPulsed ? run() : this.#thread.during(run);
  }

  /** Measures a page until its first tile, in a new profile of a warm browser process. */
  async visit(runUrl, isPulsed) {
    const context = await this.#browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(`${this.#base}/page/cold/empty.html`);
      const thread = await MainThread.of(page);
      const load = async (variable) => {
        await page.goto(coldPage(runUrl, this.#who, isPulsed));
        return limited(thread.value(variable), `${variable} of a cold page`);
      };
      return await (isPulsed ? load("pulsed") : thread.during(async () => ({ ms: await load("finished") })));
    } finally {
      await context.close();
    }
  }

  close() {
    return this.#page.context().close();
  }
}

/** A page in its own browser, because background tabs are throttled. */
export class DriverlessTab {
  #jobs;
  #who;
  #name;
  #process;

  constructor(browser, jobs, base, who) {
    this.#jobs = jobs;
    this.#who = who;
    this.#name = `${who}-${Math.floor(Math.random() * 2 ** 32).toString(36)}`;
    this.#process = browser.open(`${pageOf(base, who)}&page=${this.#name}`);
  }

  perform(job) {
    return this.#jobs.give(this.#name, job);
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
