/**
 * Two workers against one thread: reads a whole array in memory, with our calls, and into shared
 * memory that the workers write. In Node and in Chromium.
 */
import { MemoryStore } from "../data/memory_store.mjs";
import { ENGINES, setWorkers } from "../peers/engines.mjs";

const ARRAYS = ["raw", "blosc-lz4", "blosc-zstd", "zstd", "gzip", "shards"];
const BYTES = 64 * 512 * 512 * 2;

const withWorkers = (workers, values, options) => ({
  prepare: async () => {
    await setWorkers(workers);
    return ENGINES.ours.open(new MemoryStore(values));
  },
  run: (array) => ENGINES.ours.read(array, null, options?.()),
});

/** Allocates new memory for each read, as the other contestants do. */
const sharedResult = () => ({ out: new Uint16Array(new SharedArrayBuffer(BYTES)) });

export async function* measure(env) {
  for (const codec of ARRAYS) {
    const values = await env.load(`volume-${codec}`);
    const { ms } = await env.compare({
      "one thread": withWorkers(0, values),
      "2 workers": withWorkers(2, values),
      shared: withWorkers(2, values, sharedResult),
    });
    yield { row: `${codec}, 32 MiB uint16`, bytes: BYTES, figures: ms };
  }
}
