/**
 * A panning session in Chromium. A view of 512 × 512 of an image of 4096 × 4096 moves by 384 per
 * frame and requests its new tiles. Reads of tiles that left the view are aborted. The line is too
 * slow for this speed.
 */
import { newRun } from "../line/runs.mjs";
import { longestTask } from "../measure/long_tasks.mjs";
import { wasmBytes } from "../measure/wasm_memory.mjs";
import { ENGINES, setWorkers } from "../peers/engines.mjs";

const SPEED = { latency: 20, rate: 10 };
const IMAGE = 4096;
const VIEW = 512;
const TILE = 256;
const STRIDE = 384;
const FRAME_MS = 16;

const frame = () => new Promise((resolve) => setTimeout(resolve, FRAME_MS));

/** The position of the view. It moves to and fro along both axes, with different periods. */
function viewAt(step) {
  const swing = (at) => {
    const span = IMAGE - VIEW;
    const position = at % (2 * span);
    return position < span ? position : 2 * span - position;
  };
  return [swing(step * STRIDE), swing(Math.floor(step * STRIDE * 0.37))];
}

function* tilesOf([top, left]) {
  for (let y = Math.floor(top / TILE); y * TILE < top + VIEW; y++)
    for (let x = Math.floor(left / TILE); x * TILE < left + VIEW; x++) yield `${y}/${x}`;
}

const now = () => performance.timeOrigin + performance.now();

/** The requested tiles. */
class Tiles {
  #read;
  #open = new Map();
  /** For each tile, its visits: the time of the request, and whether it left the view too early. */
  #visits = new Map();

  constructor(read) {
    this.#read = read;
  }

  show(view) {
    const seen = new Set(tilesOf(view));
    for (const [tile, { controller, visit }] of this.#open) {
      if (seen.has(tile)) continue;
      this.#open.delete(tile);
      if (visit.isDone) continue;
      visit.isLeft = true;
      controller.abort();
    }
    for (const tile of seen) if (!this.#open.has(tile)) this.#ask(tile);
  }

  #ask(tile) {
    const controller = new AbortController();
    const box = tile.split("/").map((at) => [at * TILE, (Number(at) + 1) * TILE]);
    const visit = { asked: now(), isDone: false, isLeft: false };
    const visits = this.#visits.get(tile) ?? [];
    this.#visits.set(tile, [...visits, visit]);
    const promise = this.#read(box, controller.signal).then(
      () => {
        visit.isDone = true;
      },
      (error) => {
        if (!controller.signal.aborted) throw error;
      },
    );
    this.#open.set(tile, { controller, promise, visit });
  }

  /** Percentage of the visits that ended early for which no complete answer was sent. */
  cancelled(sent) {
    for (const [key, at] of sent) {
      const visit = this.#visits.get(key.replace("/0/c/", ""))?.findLast(({ asked }) => asked <= at);
      if (visit) visit.isSent = true;
    }
    const left = [...this.#visits.values()].flat().filter(({ isLeft }) => isLeft);
    return left.length > 0 ? (100 * left.filter(({ isSent }) => !isSent).length) / left.length : 100;
  }

  async settled() {
    await Promise.all([...this.#open.values()].map(({ promise }) => promise));
  }
}

async function session(env, engine) {
  const run = newRun(env.base, SPEED);
  const array = await engine.open(await engine.http(run.url("pyramid")), "/0");
  const tiles = new Tiles((box, signal) => engine.read(array, box, { signal }));
  const wasmBefore = wasmBytes();
  const { value: settledMs, longest } = await longestTask(async () => {
    for (let step = 0; step < env.pans; step++) {
      tiles.show(viewAt(step));
      await frame();
    }
    const stopped = performance.now();
    await tiles.settled();
    return performance.now() - stopped;
  });
  const { requests, bytes, sent } = await run.tally();
  const cancelled = tiles.cancelled(sent);
  return { settledMs, longest, requests, bytes, cancelled, grownMiB: (wasmBytes() - wasmBefore) / 2 ** 20 };
}

export async function* measure(env) {
  await setWorkers(2);
  const sessions = {};
  for (const [name, engine] of Object.entries(ENGINES)) {
    // This session starts wasm and workers. It is not counted.
    await session({ ...env, pans: 20 }, engine);
    sessions[name] = await session(env, engine);
  }
  const each = (key) => Object.fromEntries(Object.entries(sessions).map(([name, all]) => [name, all[key]]));
  const row = `${env.pans} pans, 20 ms, 10 MB/s`;
  yield {
    row: `${row}: last view complete`,
    figures: each("settledMs"),
    requests: each("requests"),
    wire: each("bytes"),
  };
  yield { row: `${row}: longest task`, figures: each("longest") };
  yield { row: `${row}: cancelled of what left`, unit: "%", figures: each("cancelled") };
  yield {
    row: `${row}: growth of the page's wasm memory`,
    unit: "MiB",
    figures: { ours: sessions.ours.grownMiB },
  };
}
