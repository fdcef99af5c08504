/**
 * The time from a page's HTML to its first tile: download, compilation and start of the code,
 * metadata and one chunk. Each page is in a new browser profile; the rows "code in the cache" have
 * visited the page before, and read other data. The floor is the data alone. Run from Node.
 */
import { existsSync } from "node:fs";
import { launchChromium } from "../../tests/browser/chromium.mjs";
import { newRun } from "../line/runs.mjs";
import { Timed } from "../measure/compare.mjs";

const LINES = {
  "no latency": {},
  "20 ms, 200 Mbit/s": { latency: 20, rate: 25 },
  "60 ms, 20 Mbit/s": { latency: 60, rate: 2.5 },
};
const TYPICAL = LINES["20 ms, 200 Mbit/s"];

/** The arrays of the store `first-tile`, and the requests that their first tile needs. */
const STORE = "first-tile";
const LAYOUTS = {
  "v2 blosc": { path: "v2-blosc", trips: [["/.zarray", "/.zattrs"], ["/0.0"]] },
  "v3 blosc": { path: "v3-blosc" },
  "v3 shards": { path: "v3-shards" },
};
const TILE = [
  [0, 256],
  [0, 256],
];

/** The pages of `page/cold`: the data alone, zarrita with its wrappers, and this package. */
const PAGES = ["fetch", "tuned", "ours"];
/** The same page by other bundlers, by zarrita's calls, with separate files, and with brotli. */
const VARIANTS = {
  tuned: { page: "tuned" },
  ours: { page: "ours" },
  alias: { page: "alias" },
  slim: { page: "slim" },
  Vite: { page: "vite" },
  webpack: { page: "webpack" },
  brotli: { page: "ours", encoding: "br" },
};

async function tripsOf(env, { path, trips }) {
  if (trips) return trips.map((keys) => keys.map((key) => ({ key: `/${path}${key}` })));
  const needs = await env.needs(STORE, `/${path}`, TILE);
  // A suffix range needs no length.
  const ranges = needs.trips.filter(([{ method }]) => method !== "HEAD");
  return [[{ key: `/${path}/zarr.json` }], ...ranges];
}

/** The URL of a page that reads the layout's first tile. */
function pageUrl({ code, data }, page, { path, trips }) {
  const query = new URLSearchParams({ data: data.url(STORE), path, trips: JSON.stringify(trips) });
  return `${code.url("page")}/cold/${page}/index.html?${query}`;
}

async function open(context, url) {
  const tab = await context.newPage();
  await tab.goto(url);
  await tab.waitForFunction(() => window.finished !== undefined);
  return tab.evaluate(() => window.finished);
}

/** A contestant: a page over a line. `isCached`: its code has been loaded before. */
function contestant(env, { page, encoding, speed, layout, isCached }) {
  const runOf = () => newRun(env.base, { ...speed, encoding });
  return {
    async prepare() {
      const context = await env.browser.newContext();
      const code = runOf();
      if (isCached) await open(context, pageUrl({ code, data: runOf() }, page, layout));
      const data = isCached ? runOf() : code;
      return { context, data, url: pageUrl({ code, data }, page, layout) };
    },
    run: async ({ context, url }) => new Timed(await open(context, url)),
    async finish({ context, data }) {
      await context.close();
      return data.tally();
    },
  };
}

async function rowOf(env, row, contestants) {
  const { ms, figures } = await env.compare(contestants);
  const each = (key) => Object.fromEntries(Object.entries(figures).map(([name, all]) => [name, all[key]]));
  return { row, figures: ms, requests: each("requests"), wire: each("bytes") };
}

const named = (names, make) => Object.fromEntries(names.map((name) => [name, make(name)]));

async function* measureIn(env) {
  const layouts = {};
  for (const [name, layout] of Object.entries(LAYOUTS))
    layouts[name] = { ...layout, trips: await tripsOf(env, layout) };
  for (const [line, speed] of Object.entries(LINES)) {
    for (const [name, layout] of Object.entries(layouts)) {
      for (const isCached of [false, true]) {
        const of = (page) => contestant(env, { page, speed, layout, isCached });
        const row = `${line}: ${name}${isCached ? ", code in the cache" : ""}`;
        yield await rowOf(env, row, named(PAGES, of));
      }
    }
  }
  const layout = layouts["v3 blosc"];
  const of = (name) => contestant(env, { ...VARIANTS[name], speed: TYPICAL, layout });
  yield await rowOf(env, "variants, 20 ms, 200 Mbit/s: v3 blosc", named(Object.keys(VARIANTS), of));
}

/**
 * Chromium without its own interface, if it is installed. In the other one, pages of the interface
 * load and compile scripts in every new profile, on the same processors.
 */
const SHELL = "/usr/bin/chromium-headless-shell";

export async function* measure(env) {
  const browser = await launchChromium(existsSync(SHELL) ? SHELL : undefined);
  try {
    yield* measureIn({ ...env, browser });
  } finally {
    await browser.close();
  }
}
