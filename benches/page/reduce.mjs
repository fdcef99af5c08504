/**
 * The page of one contestant (`?who=`) of `reduce`: the mean over time of an array over a line
 * (`ours`), a stream of its elements, which are dropped (`stream`: decoding alone), or fetching its
 * bytes (`fetch`). The driver calls `window.perform`.
 */
import * as zarr from "zarr-wasm";
import { fetchTrips } from "../line/runs.mjs";
import { startOurs } from "../peers/engines.mjs";

const who = new URLSearchParams(location.search).get("who");

const ACTS = {
  ours: (array) => zarr.reduce(array, null, { op: "mean", over: [0] }),
  async stream(array) {
    let parts = 0;
    for await (const _ of array.stream()) parts += 1;
    return parts;
  },
};

let ready;

const JOBS = {
  async prepare({ url, trips }) {
    if (who === "fetch") ready = () => fetchTrips(url, trips);
    else {
      const array = await zarr.open(url, { kind: "array" });
      ready = () => ACTS[who](array);
    }
  },
  async run() {
    const started = performance.now();
    await ready();
    return { ms: performance.now() - started };
  },
};

if (who !== "fetch")
  await startOurs({ engine: "worker", workers: 2, caches: { encodedBytes: 0, decodedBytes: 0 } });
window.perform = async ({ kind, ...job }) => (await JOBS[kind](job)) ?? null;
