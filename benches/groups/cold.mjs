/**
 * The time from a page's HTML to its first tile: download, compilation and start of the code,
 * metadata and one chunk. Each page of Chromium is in a new profile; the rows "code in the cache"
 * have visited the page before, and read other data. In Firefox the pages share a process, and the
 * code has a new URL for each. The floor is the data alone. `--compare <folder>` measures dist/,
 * another build of this package and zarrita over each line instead. Run from Node.
 */
import { existsSync } from "node:fs";
import { say } from "../../scripts/run_command.mjs";
import { launchChromium } from "../../tests/browser/chromium.mjs";
import { newRun } from "../line/runs.mjs";
import { Timed } from "../measure/compare.mjs";
import { BROWSERS } from "../peers/browsers.mjs";
import { DriverlessTab } from "./main_thread/tabs.mjs";

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
/** The pages for `--compare`: zarrita, the other build of this package, and this one. */
const COMPARED = ["tuned", "before", "ours"];
/**
 * The same page with the wasm as a file, by zarrita's calls, with all in separate files, by
 * other bundlers, and with brotli. webpack's page has the wasm as a file.
 */
const VARIANTS = {
  tuned: { page: "tuned" },
  ours: { page: "ours" },
  file: { page: "file" },
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

/** Pages of Chromium, each in a new profile. */
const inChromium = (browser) => async () => {
  const context = await browser.newContext();
  return { visit: (url) => open(context, url), close: () => context.close() };
};

/**
 * A contestant: a page over a line. `newProfile` resolves to `{visit(url), close()}`. `isCached`:
 * its code has been loaded before.
 */
function contestant({ base, newProfile }, { page, encoding, speed, layout, isCached }) {
  const runOf = () => newRun(base, { ...speed, encoding });
  return {
    async prepare() {
      const profile = await newProfile();
      const code = runOf();
      if (isCached) await profile.visit(pageUrl({ code, data: runOf() }, page, layout));
      const data = isCached ? runOf() : code;
      return { profile, data, url: pageUrl({ code, data }, page, layout) };
    },
    run: async ({ profile, url }) => new Timed(await profile.visit(url)),
    async finish({ profile, data }) {
      await profile.close();
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

async function layoutsWithTrips(env) {
  const layouts = {};
  for (const [name, layout] of Object.entries(LAYOUTS))
    layouts[name] = { ...layout, trips: await tripsOf(env, layout) };
  return layouts;
}

/** The layouts over the typical line, in Firefox. */
async function* measureInFirefox(env, layouts) {
  const firefox = BROWSERS.find(({ name }) => name === "firefox");
  const missing = firefox.missing();
  if (missing) return say(`- Firefox: ${missing}, its first tiles are not measured`);
  const started = await firefox.start();
  const tab = new DriverlessTab(started, env.jobs, env.base, "fetch");
  const visit = (url) => tab.perform({ kind: "visit", url });
  try {
    for (const [name, layout] of Object.entries(layouts)) {
      for (const isCached of [false, true]) {
        const newProfile = async () => ({ visit, close: async () => {} });
        const of = (page) => contestant({ ...env, newProfile }, { page, speed: TYPICAL, layout, isCached });
        const row = `Firefox, 20 ms, 200 Mbit/s: ${name}${isCached ? ", code in the cache" : ""}`;
        yield await rowOf(env, row, named(PAGES, of));
      }
    }
  } finally {
    await tab.close();
    await started.close();
  }
}

/** The layouts over each line, read by these pages. */
async function* measureLayouts(env, layouts, pages) {
  for (const [line, speed] of Object.entries(LINES)) {
    for (const [name, layout] of Object.entries(layouts)) {
      for (const isCached of [false, true]) {
        const of = (page) => contestant(env, { page, speed, layout, isCached });
        const row = `${line}: ${name}${isCached ? ", code in the cache" : ""}`;
        yield await rowOf(env, row, named(pages, of));
      }
    }
  }
}

/** One layout over the typical line, by each way to load this package. */
async function* measureVariants(env, layouts) {
  const layout = layouts["v3 blosc"];
  for (const isCached of [false, true]) {
    const of = (name) => contestant(env, { ...VARIANTS[name], speed: TYPICAL, layout, isCached });
    const row = `variants, 20 ms, 200 Mbit/s: v3 blosc${isCached ? ", the code in the cache" : ""}`;
    yield await rowOf(env, row, named(Object.keys(VARIANTS), of));
  }
}

/**
 * Chromium without its own interface, if it is installed. In the other one, pages of the interface
 * load and compile scripts in every new profile, on the same processors.
 */
const SHELL = "/usr/bin/chromium-headless-shell";

export async function* measure(env) {
  const browser = await launchChromium(existsSync(SHELL) ? SHELL : undefined);
  try {
    const layouts = await layoutsWithTrips(env);
    const ofBrowser = { ...env, newProfile: inChromium(browser) };
    if (env.before !== undefined) return yield* measureLayouts(ofBrowser, layouts, COMPARED);
    yield* measureLayouts(ofBrowser, layouts, PAGES);
    yield* measureVariants(ofBrowser, layouts);
    yield* measureInFirefox(env, layouts);
  } finally {
    await browser.close();
  }
}
