/** Reads a whole array in memory with `get`, on one thread. In Node and in Chromium. */
import { Timed } from "../measure/compare.mjs";
import { MEMORY_ENGINES, setWorkers } from "../peers/engines.mjs";
import { readOf } from "./reads.mjs";

const ARRAYS = ["raw", "blosc-lz4", "blosc-lz4-bitshuffle", "blosc-zstd", "zstd", "lz4", "gzip", "shards"];
const BYTES = 64 * 512 * 512 * 2;

export async function* measure(env) {
  await setWorkers(0);
  const result = new Uint8Array(BYTES);
  for (const codec of ARRAYS) {
    const name = `volume-${codec}`;
    const needs = await env.needs(name, "", null);
    const { ms } = await env.compare({
      memcpy: { run: () => result.slice().length },
      native: { run: async () => new Timed(await env.native(name, needs.codec, needs.pieces)) },
      ...readOf(MEMORY_ENGINES, await env.load(name), null),
    });
    yield { row: `${codec}, 32 MiB uint16`, bytes: BYTES, figures: ms };
  }
}
