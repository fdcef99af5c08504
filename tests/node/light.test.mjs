/**
 * The light build and the engine read alike: descriptions, values of random selections,
 * conversions, errors and warnings of every fixture over HTTP. The engine is that of a second copy
 * of the package, which has no light build.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { inspect } from "node:util";
import * as light from "zarr-wasm";
import * as engine from "zarr-wasm/inline";
import { serve } from "../../scripts/serve.mjs";
import { FIXTURES, goodCases } from "./fixture_files.mjs";

/** Numbers from 0 to 1 that are the same in every run. */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A selection of an array: indices, slices with any step, lists. */
function randomSelection({ shape }, random) {
  const below = (end) => Math.floor(random() * end);
  return shape.map((extent) => {
    const kind = extent === 0 ? 0 : below(4);
    if (kind === 0) return null;
    if (kind === 1) return below(2 * extent) - extent;
    if (kind === 2) return Array.from({ length: below(4) }, () => below(extent));
    const [start, stop] = [below(extent), below(extent + 1)];
    const step = 1 + below(3);
    return start <= stop ? light.slice(start, stop, step) : light.slice(start, stop, -step);
  });
}

const DESCRIBED = [
  ...["kind", "path", "attrs", "shape", "chunks", "shards", "dtype", "fillValue", "dimensionNames"],
  ...["codecs", "dataType", "dialect", "gridShape", "warnings"],
];

const described = (node) => Object.fromEntries(DESCRIBED.map((name) => [name, node[name]]));

/** What a call gives: its value, or what a caller sees of its error. The copies' classes differ. */
const outcome = (call) =>
  call.then(
    ({ data, shape, stride }) => shown({ data, shape, stride }),
    ({ name, code, message, path, key, expected, actual }) =>
      shown({ name, code, message, path, key, expected, actual }),
  );

const shown = (value) => inspect(value, { depth: 12, maxArrayLength: null, maxStringLength: null });

/** An array or group of each copy. */
const both = async (open) => [await open(light), await open(engine)];

/** Compares what two arrays give for the same call. */
async function compare([ours, theirs], call) {
  assert.equal(await outcome(call(ours)), await outcome(call(theirs)));
}

async function compareReads(arrays, random) {
  const [{ shape }] = arrays;
  const converted = /^(u?int|float)/.test(arrays[0].dtype) ? [{ as: "float32" }] : [];
  for (let round = 0; round < 2; round += 1) {
    const selection = randomSelection(arrays[0], random);
    const memoryOrder = shape.map((_, axis) => axis).reverse();
    for (const options of [{}, ...converted, { as: "bytes" }, { memoryOrder }])
      await compare(arrays, (array) => array.get(selection, options));
  }
}

/** Numbers of arrays that the light build read alone, and of those for which the engine started. */
const counts = { light: 0, engine: 0 };

function countArray() {
  counts[light.info().isStarted ? "engine" : "light"] += 1;
  // The next array finds no engine, as in a new page.
  if (light.info().isStarted) light.dispose();
}

describe("the light build and the engine read alike", () => {
  let server;
  before(async () => {
    await light.init({ light: true });
    server = await serve({ "/": FIXTURES }, { data: ["/"] });
  });
  after(() => {
    engine.dispose();
    return server.close();
  });

  for (const [number, { name, expected }] of goodCases().entries()) {
    test(name, async () => {
      const random = randomNumbers(number + 1);
      let last;
      for (const { path, kind } of expected) {
        const url = `${server.url}/${name}/store`;
        const nodes = await both((zarr) => zarr.open(url, { path }).catch((error) => error));
        const [ours, theirs] = nodes.map((node) =>
          shown(node instanceof Error ? node.message : described(node)),
        );
        assert.equal(ours, theirs, path);
        if (kind !== "array" || nodes[0] instanceof Error) continue;
        await compareReads(nodes, random);
        countArray();
        last = nodes;
      }
      if (!last) return;
      await compare(last, (array) => array.get(array.shape));
      light.dispose();
    });
  }

  test("most arrays need no engine", () => {
    assert.ok(counts.light > 2 * counts.engine, JSON.stringify(counts));
  });
});
