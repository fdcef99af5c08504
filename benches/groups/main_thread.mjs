/**
 * What the page's thread does while data is read: its work in ms as Chromium counts it (`TaskDuration`), the longest gap of a timer
 * of 8 ms, and the time until the data is there. Fetching the same bytes alone, zarrita tuned, ours with the engine in its worker
 * and ours with the engine on the page's thread, in turn; 20 ms and 200 Mbit/s unless a row says otherwise, two decode workers.
 * In Firefox and WebKitGTK only the gaps, of timers and of frames. Driven from Node, each contestant in a page of its own.
 *
 * `--rows <pattern>` measures some rows, `--compare <folder>` holds another build of this package (`before`) against dist/ instead.
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

/** Measured otherwise than the rows that read what was opened before. */
const COLD = { name: "page load to first tile" };

/** The requests that a row needs at the least, in the order in which they can be known. */
function tripsOf(env, { store, selections, isAtOnce, act }) {
  if (store === undefined) return [];
  if (act) return [[{ key: "/zarr.json" }]];
  return isAtOnce
    ? needsOf(env.store(store), "", selections).trips
    : tripsInTurn(env.store(store), "", selections);
}

/** How a row is measured: `measured(who, isPulsed)`. Each time an address of its own. */
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

/** A round that is not counted; who reads values reads the same ones. */
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

/** Every contestant in turn, another one first each round: results by name. */
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

/** Work and time without the pulse, gaps with it. */
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

/** Who the engine's place is known of is where it should be: a fallback would be measured as what it is not. */
async function checkPlaces(tabs) {
  for (const [who, isOnPage] of [
    ["ours", false],
    ["caller", true],
  ]) {
    const place = await tabs[who]?.perform({ kind: "place" });
    if (tabs[who] && (place === "caller") !== isOnPage)
      throw new Error(`${who}: the engine runs on ${place}`);
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

/** What a row's contestants are measured by, warm: `measured(who, isPulsed)`. */
async function warmed(env, tabs, row) {
  if (row === COLD) return measuringCold(env, tabs);
  const measured = measuringOf(env, tabs, row);
  await warmUp(tabs, measured);
  return measured;
}

/** The rows in one browser; a row that fails leaves the others, which get new pages. */
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
    yield* rowsIn(env, CONTESTANTS, (who) => new DriverlessTab(started, env.errands, env.base, who));
  } finally {
    await started.close();
  }
}

/** The records of one browser; one that fails altogether leaves the others. */
async function* recordsOf(env, records) {
  try {
    for await (const record of records(env)) yield { where: env.where, ...record };
  } catch (error) {
    env.failed.push(env.where);
    say(`✗ ${env.where}: ${error.stack}`);
  }
}

/** All rows, or those that `--rows` picks. */
const picked = ({ rows = "" }) => [...ROWS, COLD].filter(({ name }) => new RegExp(rows).test(name));

export async function* measure(options) {
  const env = { ...options, rows: picked(options), failed: [] };
  const names = env.before ? COMPARED : CONTESTANTS;
  yield* recordsOf({ ...env, where: "chromium" }, (here) => inChromium(here, names));
  for (const browser of env.before ? [] : BROWSERS)
    yield* recordsOf({ ...env, where: browser.name }, (here) => inOther(here, browser));
  if (env.failed.length > 0) throw new Error(env.failed.join("; "));
}
