/** Lookups in coordinates that are computed, beside a search that looks at every value. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EvenAxis, Lookup } from "./lookup.ts";

/** Start, step and length. The last two have neighbours that are equal by rounding. */
const AXES: [number, number, number][] = [
  [0, 1, 9],
  [8990, -20, 7],
  [0.1, 0.1, 12],
  [-3, 2.5, 1],
  [5, 1, 0],
  [1e17, 3, 40],
  [1e17, -3, 40],
  [7, 0, 4],
];

/** All elements of an axis, and what each rule must find, by looking at every element. */
function expected(values: number[], value: number, method: string, isFalling: boolean): number | undefined {
  const first = (fits: (one: number) => boolean) => {
    const at = values.findIndex(fits);
    return at < 0 ? undefined : at;
  };
  const exact = first((one) => one === value);
  if (exact !== undefined || method === "exact") return exact;
  const below = Math.max(...values.filter((one) => one < value));
  const above = Math.min(...values.filter((one) => one > value));
  const [before, after] = isFalling ? [above, below] : [below, above];
  if (method === "pad") return first((one) => one === before);
  if (method === "backfill") return first((one) => one === after);
  return first((one) => one === (value - below < above - value ? below : above));
}

const found = (lookup: Lookup, value: number, method: "nearest" | "pad" | "backfill" | "exact") => {
  try {
    return lookup.nearest(value, { method }, "x");
  } catch {
    return undefined;
  }
};

for (const [start, step, length] of AXES) {
  test(`values that are computed: ${start} + ${step}·i, ${length} of them`, () => {
    const axis = new EvenAxis(start, step, length);
    const values = [...axis.list("x")];
    assert.deepEqual(
      values,
      Array.from({ length }, (_, at) => axis.at(at)),
    );
    const lookup = Lookup.ofAxis(axis);
    const ends = [start, start + step * length, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    const wanted = [...values, ...values.map((value) => value + step / 3), ...ends, start - 2 * step];
    for (const value of wanted) {
      for (const method of ["nearest", "pad", "backfill", "exact"] as const) {
        const isRefused = step === 0 && (method === "pad" || method === "backfill");
        const right = isRefused ? undefined : expected(values, value, method, step < 0);
        // Beyond an infinite distance there is no nearest.
        if (!Number.isFinite(value) && method === "nearest") continue;
        assert.equal(found(lookup, value, method), right, `${method} ${value}`);
      }
      for (const other of wanted) {
        const range = lookup.range(Math.min(value, other), Math.max(value, other), "x");
        assert.ok(!Array.isArray(range));
        const inside = values.flatMap((one, at) =>
          one >= Math.min(value, other) && one <= Math.max(value, other) ? [at] : [],
        );
        const slice = values.map((_, at) => at).slice(range.start as number, range.stop as number);
        assert.deepEqual(slice, inside, `${value} to ${other}`);
      }
    }
  });
}

test("an axis of any length is searched in few steps", () => {
  let reads = 0;
  class Counted extends EvenAxis {
    override at(element: number) {
      reads += 1;
      return super.at(element);
    }
  }
  const length = Number.MAX_SAFE_INTEGER;
  const lookup = Lookup.ofAxis(new Counted(0, 1, length));
  assert.equal(lookup.nearest(2 ** 52 + 1, {}, "x"), 2 ** 52 + 1);
  assert.deepEqual(lookup.range(5, 2 ** 40, "x"), { start: 5, stop: 2 ** 40 + 1, step: null });
  assert.ok(reads < 1000, `${reads}`);
});

test("a list that is too long is a Limit error that names the axis", () => {
  const axis = new EvenAxis(0, 1, 1e12);
  assert.throws(() => axis.list("lon"), { code: "Limit", message: /"lon"/ });
  assert.equal(axis.at(1e12 - 1), 1e12 - 1);
  assert.equal(axis.at(1e12), undefined);
  assert.equal(axis.at(-1), undefined);
});
