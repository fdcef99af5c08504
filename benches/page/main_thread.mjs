/**
 * The page of one contestant (`?who=`) of `main_thread`. Chromium's driver calls `window.perform`.
 * In browsers without a driver the page requests its jobs (`?page=`).
 */
import { ROWS, readAll } from "../groups/main_thread/rows.mjs";
import { fetchTrips } from "../line/runs.mjs";
import { Pulse } from "../measure/pulse.mjs";
import { ENGINES, ourInfo, startOurs } from "../peers/engines.mjs";
import { serveJobs } from "./jobs.mjs";

const SETTLE_MS = 100;
const parameters = new URLSearchParams(location.search);
const who = parameters.get("who");
const engine = who === "tuned" ? ENGINES.tuned : ENGINES.ours;

/** The read that `prepare` prepared, and the results of the last run. */
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

/** A hash of the values that were read. Undefined if the contestant reads none. */
async function digest() {
  if (!Array.isArray(results)) return undefined;
  const sums = [];
  for (const { data } of results) {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    sums.push(...new Uint32Array(await crypto.subtle.digest("SHA-256", bytes)).slice(0, 2));
  }
  return sums.join(" ");
}

const JOBS = { prepare, run, digest, engine: () => ourInfo().engine };

const perform = async ({ kind, ...job }) => (await JOBS[kind](job)) ?? null;

if (who !== "fetch" && who !== "tuned")
  await startOurs({ workers: 2, ...(who === "caller" && { engine: "caller" }) });
if (parameters.has("page")) serveJobs(parameters.get("page"), perform);
else window.perform = perform;
