/**
 * The engines lane: runs the tests of the package and of the viewer's pixels in Firefox and
 * WebKitGTK, both at a time. They are started without a driver at a URL, and the page posts its
 * report. Prints a TAP report. An argument is a regular expression for test names. A missing engine
 * is reported and is not a failure.
 */
import { text } from "node:stream/consumers";
import { BROWSERS } from "../../benches/peers/browsers.mjs";
import { bundle } from "../browser/bundles.mjs";
import { serveTests } from "../browser/server.mjs";

/** The time in ms that a page has to start, and beyond the limit of a test to report it. */
const GRACE_MS = 60_000;
/** The pages of an engine that may die before its lane gives up. */
const MAX_PAGES = 4;

const totals = { pass: 0, fail: 0 };

function report(engine, { name, error, earlier, ms }) {
  totals[error ? "fail" : "pass"] += 1;
  const time = ms === undefined ? "" : ` # ${ms} ms`;
  console.log(`${error ? "not ok" : "ok"} ${totals.pass + totals.fail} - ${engine}: ${name}${time}`);
  if (earlier) console.log(`the first attempt failed:\n${earlier}`.replace(/^/gm, "  # "));
  if (error) console.log(error.replace(/^/gm, "  # "));
}

/** What the pages of an engine tell. A page that is silent for too long is dead. */
class Listener {
  #engine;
  #timer;
  #settle;
  /** The test that runs, as `runAll` tells it. */
  #running = { begins: "the page starts", at: 0 };
  /** The number of the test in which a page died last. */
  #diedAt;

  constructor(engine) {
    this.#engine = engine;
  }

  /** Resolves when a page has ended (true) or is dead (false). */
  listen() {
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#expectWithin(GRACE_MS);
    });
  }

  #expectWithin(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#settle(false), ms);
  }

  #take(told) {
    if (told.lacks) return console.log(`# ${this.#engine}: ${told.lacks}`);
    if (told.end) {
      clearTimeout(this.#timer);
      return this.#settle(true);
    }
    this.#expectWithin((told.within ?? 0) + GRACE_MS);
    if (told.begins) this.#running = told;
    else report(this.#engine, told);
  }

  /**
   * Notes that a page died. Returns the number of the test with which the next page begins: the
   * test that was running has a second attempt, unless `isLast`. If a page dies in both, it failed.
   */
  afterDeath(isLast) {
    const { begins: name, at } = this.#running;
    const isSecond = this.#diedAt === at;
    this.#diedAt = at;
    const error = `the page was silent for ${GRACE_MS} ms beyond the limit of the test`;
    if (isSecond || isLast) report(this.#engine, { name, error });
    else console.log(`  # ${this.#engine}: ${name}: ${error}; a new page goes on`);
    return isSecond ? at + 1 : at;
  }

  answer = (request, response) => {
    if (request.url !== "/engines/report" || request.method !== "POST") return false;
    text(request).then((body) => {
      this.#take(JSON.parse(body));
      response.writeHead(204).end();
    });
    return true;
  };
}

/**
 * Runs the tests in an engine, with a server of its own. If a page dies, another one continues with
 * the test that was running.
 */
async function runEngine(browser) {
  const missing = browser.missing();
  if (missing) return console.log(`# ${browser.name}: ${missing}, its tests are not run`);
  console.log(`# ${browser.version()}`);
  const started = await browser.start({ webgl: true });
  const listener = new Listener(browser.name);
  const server = await serveTests(listener.answer);
  const url = `${server.url}/engines?tests=${encodeURIComponent(process.argv[2] ?? "")}`;
  try {
    await runPages(listener, (from) => started.open(`${url}&from=${from}`));
  } finally {
    await server.close();
    await started.close();
  }
}

async function runPages(listener, open) {
  for (let from = 0, pages = 1; ; pages += 1) {
    const page = open(from);
    const hasEnded = await listener.listen();
    await page.close();
    if (hasEnded) return;
    from = listener.afterDeath(pages === MAX_PAGES);
    if (pages === MAX_PAGES) return;
  }
}

await bundle();
await Promise.all(BROWSERS.map(runEngine));
console.log(`# pass ${totals.pass}\n# fail ${totals.fail}`);
process.exitCode = totals.fail > 0 ? 1 : 0;
