/**
 * A contestant's page, in Chromium or in a browser without a driver: `prepare(job)`, `run({isPulsed})`, `visit(url, isPulsed)`. Each
 * contestant has a page of its own that stays open, and they take turns.
 */
import { MainThread } from "../../measure/main_thread.mjs";

/** The page of a contestant; that of another build of this package is bundled apart. */
const pageOf = (base, who) =>
  `${base}/page/${who === "before" ? "before" : "main_thread"}/index.html?who=${who}`;

const coldPage = (runUrl, who, isPulsed) =>
  `${runUrl("page")}/cold/${who}/${isPulsed ? "pulsed" : "index"}.html`;

/** As for errands: an action that takes longer hangs. */
const LIMIT_MS = 180_000;

function limited(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer to ${what}`)), LIMIT_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Chromium's, by which the work of the page's thread is known. */
export class ChromiumTab {
  #browser;
  #base;
  #who;
  #page;
  #thread;

  static async open(browser, base, who) {
    const tab = new ChromiumTab();
    tab.#browser = browser;
    tab.#base = base;
    tab.#who = who;
    const context = await browser.newContext();
    tab.#page = await context.newPage();
    await tab.#page.goto(pageOf(base, who));
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

  /** Ready to run, and quiet. */
  async prepare(job) {
    await this.perform({ kind: "prepare", ...job });
    await this.#thread.collectGarbage();
  }

  /** `{ms, work, processor}`, or of a pulsed run `{ms, gap, frame}`: the pulse is work too. */
  run(isPulsed) {
    const run = () => this.perform({ kind: "run", isPulsed });
    return isPulsed ? run() : this.#thread.during(run);
  }

  /** A cold page in a new profile until its first tile; the process has shown an empty page before. */
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
