/**
 * The page that `main_thread` measures: one contestant's (`?who=`), which does what it is told and nothing else. Chromium's driver
 * calls `window.perform`; in browsers without a driver the page asks for its errands itself (`?desk=`).
 */
import { ROWS, readAll } from "../groups/main_thread/rows.mjs";
import { fetchTrips } from "../line/runs.mjs";
import { Pulse } from "../measure/pulse.mjs";
import { ENGINES, ourInfo, startOurs } from "../peers/engines.mjs";
import { serveDesk } from "./errands.mjs";

const SETTLE_MS = 100;
const parameters = new URLSearchParams(location.search);
const who = parameters.get("who");
const engine = who === "tuned" ? ENGINES.tuned : ENGINES.ours;

/** What `prepare` has made ready to run, and what the last run gave. */
let ready;
let results;

const settle = () => new Promise((resolve) => setTimeout(resolve, SETTLE_MS));

async function reading({ row: name, url, trips }) {
  if (who === "fetch") return () => fetchTrips(url, trips);
  const row = ROWS.find((one) => one.name === name);
  if (row.act) return () => row.act(engine, url);
  const array = await engine.open(await engine.http(url));
  return () => readAll(engine, array, row);
}

async function prepare(job) {
  results = undefined;
  ready = await reading(job);
  await settle();
}

async function run({ isPulsed }) {
  const pulse = isPulsed ? new Pulse() : undefined;
  await pulse?.beat();
  const started = performance.now();
  results = await ready();
  const ms = performance.now() - started;
  return { ms, ...(await pulse?.stop()) };
}

/** Stands for the values that were read; undefined when the contestant reads none. */
async function digest() {
  if (!Array.isArray(results)) return undefined;
  const sums = [];
  for (const { data } of results) {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    sums.push(...new Uint32Array(await crypto.subtle.digest("SHA-256", bytes)).slice(0, 2));
  }
  return sums.join(" ");
}

const JOBS = { prepare, run, digest, place: () => ourInfo().engine };

const perform = async ({ kind, ...job }) => (await JOBS[kind](job)) ?? null;

if (who !== "fetch" && who !== "tuned")
  await startOurs({ workers: 2, ...(who === "caller" && { engine: "caller" }) });
if (parameters.has("desk")) serveDesk(parameters.get("desk"), perform);
else window.perform = perform;
