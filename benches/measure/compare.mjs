/**
 * Measures contestants in turn, round by round, so that other load of the machine affects all of
 * them equally. The result is the median.
 *
 * A contestant is `{prepare?, run, finish?}`. `prepare()` returns the argument of `run` and is not
 * timed. `finish(prepared)` returns figures, such as a tally; those of the last round are kept. A
 * `run` that was timed elsewhere returns `Timed`.
 */

export class Timed {
  constructor(ms, value) {
    this.ms = ms;
    this.value = value;
  }
}

export const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

async function once({ prepare, run, finish }) {
  const prepared = await prepare?.();
  const started = performance.now();
  const result = await run(prepared);
  const elapsed = performance.now() - started;
  const timed = result instanceof Timed ? result : new Timed(elapsed, result);
  return { ...timed, figures: await finish?.(prepared) };
}

const isElements = (value) => ArrayBuffer.isView(value?.data);

function sameElements(a, b) {
  return a.length === b.length && a.every((value, idx) => value === b[idx]);
}

/** Throws if contestants return different elements. */
function check(values) {
  const arrays = Object.entries(values).filter(([, value]) => isElements(value));
  const [first, ...others] = arrays;
  for (const [name, value] of others) {
    if (!sameElements(value.data, first[1].data))
      throw new Error(`${name} and ${first[0]} read different values`);
  }
}

/** The names, beginning with another one each round. */
const rotated = (names, by) => [...names.slice(by % names.length), ...names.slice(0, by % names.length)];

/**
 * Resolves to `{ms: {name: median}, figures: {name: …}}`. The first round is not counted; its
 * results are compared.
 */
export async function compare(contestants, { rounds }) {
  const names = Object.keys(contestants);
  const warmUp = {};
  for (const name of names) warmUp[name] = (await once(contestants[name])).value;
  check(warmUp);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  const figures = {};
  for (let round = 0; round < rounds; round++) {
    for (const name of rotated(names, round)) {
      const done = await once(contestants[name]);
      times[name].push(done.ms);
      if (done.figures) figures[name] = done.figures;
    }
  }
  const ms = Object.fromEntries(names.map((name) => [name, median(times[name])]));
  return { ms, figures };
}
