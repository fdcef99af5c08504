/**
 * The load of the page's thread during reads: its work in ms as Chromium counts it
 * (`TaskDuration`), the longest gap of a timer of 8 ms, and the time of the read. Contestants:
 * fetching the same bytes, zarrita tuned, ours with the engine in its worker, and ours with the
 * engine on the page's thread. They take turns, each in its own page, with two decode workers. The
 * line has 20 ms and 200 Mbit/s if the row does not say otherwise. In Firefox and WebKitGTK only
 * gaps of timers and frames are measured. Run from Node.
 *
 * `--rows <pattern>` measures only some rows. `--compare <folder>` compares dist/ with another
 * build of this package (`before`) instead.
 */
import { say } from "../../scripts/run_command.mjs";
import { needsOf, tripsInTurn } from "../data/needs.mjs";
import { newRun } from "../line/runs.mjs";
import { median } from "../measure/compare.mjs";
import { BROWSERS } from "../peers/browsers.mjs";
import { LINE, ROWS } from "./main_thread/rows.mjs";
import { ChromiumTab, DriverlessTab } from "./main_thread/tabs.mjs";
import { mapValues, since, trafficOf } from "./reads.mjs";

const CONTESTANTS = ["fetch", "tuned", "ours", "caller"];
const COMPARED = ["before", "ours"];

/** The row of a cold page. All other rows read arrays that are already open. */
const COLD = { name: "page load to first tile" };

/** The requests that a row needs at least. Those of a later trip depend on an earlier answer. */
function tripsOf(env, { store, selections, isAtOnce, act }) {
  if (store === undefined) return [];
  if (act) return [[{ key: "/zarr.json" }]];
  return isAtOnce
    ? needsOf(env.store(store), "", selections).trips
    : tripsInTurn(env.store(store), "", selections);
}

/** Returns the function that measures a row: `measured(who, isPulsed)`. Each run has a new URL. */
function measuringOf(env, tabs, row) {
  const trips = tripsOf(env, row);
  return async (who, isPulsed) => {
    const run = newRun(env.base, row.speed);
    const job = { row: row.name, url: run.url(row.store), ...(who === "fetch" && { trips }) };
    await tabs[who].prepare(job);
    const before = await run.tally();
    const result = await tabs[who].run(isPulsed);
    return { ...result, ...(await since(run, before)) };
  };
}

const measuringCold = (env, tabs) => async (who, isPulsed) => {
  const run = newRun(env.base, LINE);
  const result = await tabs[who].visit(run.url, isPulsed);
  return { ...result, ...(await run.tally()) };
};

/** A round that is not counted. Throws if the contestants read different values. */
async function warmUp(tabs, measured) {
  const digests = {};
  for (const who of Object.keys(tabs)) {
    await measured(who, false);
    const digest = await tabs[who].perform({ kind: "digest" });
    if (digest !== null) digests[who] = digest;
  }
  if (new Set(Object.values(digests)).size > 1)
    throw new Error(`${Object.keys(digests).join(", ")} read different values`);
}

/** Measures the contestants in turn, with another first one each round. Returns results by name. */
async function inTurns(names, rounds, measure) {
  const all = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (let idx = 0; idx < names.length; idx++) {
      const name = names[(idx + round) % names.length];
      all[name].push(await measure(name));
    }
  return all;
}

const medians = (all, key) => mapValues(all, (results) => median(results.map((result) => result[key])));

/** Measures work and time without the pulse, and gaps with it. */
async function* figuresOf(env, tabs, row, measured) {
  const names = Object.keys(tabs);
  if (env.isCounted) {
    const quiet = await inTurns(names, env.rounds, (who) => measured(who, false));
    const latest = mapValues(quiet, (results) => results.at(-1));
    yield { row: `${row}: work`, figures: medians(quiet, "work") };
    yield { row: `${row}: processor time of the page's thread`, figures: medians(quiet, "processor") };
    yield { row: `${row}: time`, figures: medians(quiet, "ms"), ...trafficOf(latest) };
  }
  const pulsed = await inTurns(names, Math.ceil(env.rounds / 2), (who) => measured(who, true));
  yield { row: `${row}: longest gap`, figures: medians(pulsed, "gap") };
  if (!env.isCounted) yield { row: `${row}: longest gap of frames`, figures: medians(pulsed, "frame") };
}

/** Throws if an engine runs in another thread than it should, for example after a fallback. */
async function checkPlaces(tabs) {
  for (const [who, isOnPage] of [
    ["ours", false],
    ["caller", true],
  ]) {
    const kind = await tabs[who]?.perform({ kind: "engine" });
    if (tabs[who] && (kind === "caller") !== isOnPage) throw new Error(`${who}: the engine runs on ${kind}`);
  }
}

const closeTabs = (tabs) => Promise.all(Object.values(tabs).map((tab) => tab.close()));

async function openTabs(names, open) {
  const tabs = {};
  try {
    for (const who of names) tabs[who] = await open(who);
    await checkPlaces(tabs);
    return tabs;
  } catch (error) {
    await closeTabs(tabs);
    throw error;
  }
}

/** Warms up a row. Returns the function that measures it. */
async function warmed(env, tabs, row) {
  if (row === COLD) return measuringCold(env, tabs);
  const measured = measuringOf(env, tabs, row);
  await warmUp(tabs, measured);
  return measured;
}

/** Measures the rows in one browser. After a failed row the others get new pages. */
async function* rowsIn(env, names, open) {
  let tabs = await openTabs(names, open);
  try {
    for (const row of env.rows) {
      try {
        yield* figuresOf(env, tabs, row.name, await warmed(env, tabs, row));
      } catch (error) {
        env.failed.push(`${env.where}, ${row.name}`);
        say(`✗ ${env.where}, ${row.name}: ${error.stack}`);
        await closeTabs(tabs);
        tabs = {};
        tabs = await openTabs(names, open);
      }
    }
  } finally {
    await closeTabs(tabs);
  }
}

async function* inChromium(env, names) {
  const open = (who) => ChromiumTab.open(env.browser, env.base, who);
  yield* rowsIn({ ...env, isCounted: true }, names, open);
}

async function* inOther(env, browser) {
  const missing = browser.missing();
  if (missing) return say(`- ${browser.name}: ${missing}, its gaps are not measured`);
  say(`· ${browser.version()}`);
  const started = await browser.start();
  try {
    yield* rowsIn(env, CONTESTANTS, (who) => new DriverlessTab(started, env.jobs, env.base, who));
  } finally {
    await started.close();
  }
}

/** The records of one browser. If it fails, the other browsers are still measured. */
async function* recordsOf(env, records) {
  try {
    for await (const record of records(env)) yield { where: env.where, ...record };
  } catch (error) {
    env.failed.push(env.where);
    say(`✗ ${env.where}: ${error.stack}`);
  }
}

/** The rows that `--rows` picks. Default: all. */
const picked = ({ rows = "" }) => [...ROWS, COLD].filter(({ name }) => new RegExp(rows).test(name));

export async function* measure(options) {
  const env = { ...options, rows: picked(options), failed: [] };
  const names = env.before ? COMPARED : CONTESTANTS;
  yield* recordsOf({ ...env, where: "chromium" }, (here) => inChromium(here, names));
  for (const browser of env.before ? [] : BROWSERS)
    yield* recordsOf({ ...env, where: browser.name }, (here) => inOther(here, browser));
  if (env.failed.length > 0) throw new Error(env.failed.join("; "));
}
