/**
 * Peak memory of a process that reads 128 MiB over HTTP and keeps them: its growth (JavaScript,
 * wasm, workers) without caches, as a multiple of the result. The floor fetches the same chunks and
 * keeps as much memory. Each reader has its own process (memory_child.mjs). So has the start of an
 * engine and two decode workers, and what is left of them when they were idle. Run from Node.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { newRun } from "../line/runs.mjs";
import { median } from "../measure/compare.mjs";

const CHILD = join(import.meta.dirname, "memory_child.mjs");
const STORES = ["volume-blosc-lz4", "volume-blosc-zstd", "volume-zstd", "volume-gzip"];
const ENGINES = ["floor", "zarrita", "alias", "ours"];

const start = promisify(execFile);

async function growth(env, engine) {
  const run = newRun(env.base);
  const { stdout } = await start(process.execPath, ["--expose-gc", CHILD, engine, ...STORES.map(run.url)]);
  return JSON.parse(stdout);
}

export async function* measure(env) {
  const grown = Object.fromEntries(ENGINES.map((engine) => [engine, []]));
  for (let round = 0; round < Math.min(3, env.rounds); round++)
    for (const engine of ENGINES) grown[engine].push((await growth(env, engine)).peak);
  const { floor: fetch, ...readers } = Object.fromEntries(
    ENGINES.map((engine) => [engine, median(grown[engine])]),
  );
  yield { row: "peak of reading 128 MiB", unit: "× the result", figures: { fetch, ...readers } };
  const { started, idle } = await growth(env, "start");
  yield { row: "start: an engine and two decode workers", unit: "MiB", figures: { ours: started } };
  yield { row: "start: when the workers were idle", unit: "MiB", figures: { ours: idle } };
}
