/**
 * The time from a page's HTML to its first tile in a new browser profile: download, compilation and
 * start of the code, metadata and one chunk. The floor is the two data requests alone. Run from
 * Node.
 */
import { newRun } from "../line/runs.mjs";
import { Timed } from "../measure/compare.mjs";

const SPEED = { latency: 20, rate: 10 };
export const PAGES = ["fetch", "zarrita", "alias", "ours", "slim"];

async function visit(browser, run, page) {
  const context = await browser.newContext();
  try {
    const tab = await context.newPage();
    await tab.goto(`${run.url("page")}/cold/${page}/index.html`);
    await tab.waitForFunction(() => window.finished !== undefined);
    return new Timed(await tab.evaluate(() => window.finished));
  } finally {
    await context.close();
  }
}

export async function* measure(env) {
  const contestants = PAGES.map((page) => [
    page,
    {
      prepare: () => newRun(env.base, SPEED),
      run: (run) => visit(env.browser, run, page),
      finish: (run) => run.tally(),
    },
  ]);
  const { ms, figures } = await env.compare(Object.fromEntries(contestants));
  const each = (key) => Object.fromEntries(Object.entries(figures).map(([name, all]) => [name, all[key]]));
  yield { row: "first tile, 20 ms, 10 MB/s", figures: ms, requests: each("requests"), wire: each("bytes") };
}
