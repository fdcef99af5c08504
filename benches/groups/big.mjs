/** Many nodes, many chunks, many bytes: over a fast line with two workers, and what the page feels of it. In Chromium. */
import { newRun } from "../line/runs.mjs";
import { longestTask } from "../measure/long_tasks.mjs";
import { ENGINES, MEMORY_ENGINES, setWorkers } from "../peers/engines.mjs";
import { fetchFloor, mapValues, overLine, readOf, trafficOf } from "./reads.mjs";

const FAST = { latency: 0, rate: 0 };

async function openOneOfMany(engine, run) {
  const group = await engine.openGroup(await engine.http(run.url("nodes")));
  await engine.open(group.store, "/array_050000");
}

/** Medians of an action behind a fast line, and the longest task of one more of each. */
async function felt(env, engines, prepare, act) {
  const { ms, figures } = await env.compare(
    mapValues(engines, (engine) => ({
      prepare: () => prepare(engine),
      run: (prepared) => act(engine, prepared),
    })),
  );
  const longest = {};
  for (const [name, engine] of Object.entries(engines)) {
    const prepared = await prepare(engine);
    longest[name] = (await longestTask(() => act(engine, prepared))).longest;
  }
  return { ms, figures, longest };
}

async function* nodes(env) {
  const prepare = () => newRun(env.base, FAST);
  const { ms, longest } = await felt(env, ENGINES, prepare, openOneOfMany);
  yield { row: "100 000 consolidated nodes, open and open one", figures: ms };
  yield { row: "100 000 consolidated nodes: longest task", figures: longest };
}

async function* wholeArrays(env) {
  for (const codec of ["blosc-lz4", "shards", "raw"]) {
    const prepare = async (engine) =>
      engine.open(await engine.http(newRun(env.base, FAST).url(`volume-${codec}`)));
    const { longest } = await felt(env, ENGINES, prepare, (engine, array) => engine.read(array, null));
    yield { row: `reading 32 MiB, ${codec}: longest task`, figures: longest };
  }
}

async function* chunks(env) {
  const memory = await env.compare(readOf(MEMORY_ENGINES, await env.load("chunks"), null));
  yield { row: "10 000 chunks in memory", figures: memory.ms };
  const line = { store: "chunks", speed: FAST };
  const { trips } = await env.needs("chunks", "", null);
  const { ms, figures } = await env.compare({
    fetch: fetchFloor(env, line, trips),
    ...overLine(ENGINES, env, line, (engine, array) => engine.read(array, null)),
  });
  yield { row: "10 000 chunks over a fast line", figures: ms, ...trafficOf(figures) };
}

export async function* measure(env) {
  await setWorkers(2);
  yield* nodes(env);
  yield* wholeArrays(env);
  yield* chunks(env);
}
