/**
 * The rows of `main_thread` that read open arrays: the store, the selections, and how to read them.
 * The page uses them to read, and Node to compute the floor.
 */
import { CHUNKS_CORNER, openOneOfMany, smallBoxes } from "../reads.mjs";

/** 20 ms and 200 Mbit/s. */
export const LINE = { latency: 20, rate: 25 };
const FAST = { latency: 0, rate: 0 };

const PAN_STEPS = 40;

/** Views of 1024 × 768 that move down and to the right. */
const SCREENS = Array.from({ length: PAN_STEPS }, (_, step) => [
  [100 + step * 40, 868 + step * 40],
  [200 + step * 56, 1224 + step * 56],
]);

const MAPS = Array.from({ length: 24 }, (_, step) => [step, null, null]);

/** Each selection is in another inner chunk. Some are neighbours, so few requests are enough. */
const BOXES = smallBoxes(192);

const VIEW = [
  [900, 2948],
  [1100, 3148],
];

/** Reads all selections, one after the other or concurrently. */
export async function readAll(engine, array, { selections, isAtOnce }) {
  if (isAtOnce) return Promise.all(selections.map((selection) => engine.read(array, selection)));
  const results = [];
  for (const selection of selections) results.push(await engine.read(array, selection));
  return results;
}

const row = (name, store, selections, more) => ({ name, store, selections, speed: LINE, ...more });

/** The action of a row that does not read. */
export const ROWS = [
  row("nothing: what measuring costs", undefined, [], { act: () => {} }),
  row("8 MiB viewport in a sharded pyramid", "image-shards", [VIEW]),
  row("40 viewports of panning, sharded", "image-shards", SCREENS),
  row("whole 32 MiB array, blosc-lz4", "volume-blosc-lz4", [null]),
  row("whole 32 MiB array, raw", "volume-raw", [null]),
  row("whole 32 MiB array, sharded", "volume-shards", [null]),
  row("720 steps of a time series", "series", [[null, 64, 37]]),
  row("24 maps of an animation", "volume-blosc-zstd", MAPS),
  row("64 concurrent small reads in one shard", "image-shards", BOXES, { isAtOnce: true }),
  row("1 000 small chunks, fast line", "chunks", [CHUNKS_CORNER], { speed: FAST }),
  row("10^5 consolidated nodes opened, fast line", "nodes", [], { speed: FAST, act: openOneOfMany }),
];
