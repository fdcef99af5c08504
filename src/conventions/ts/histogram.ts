/**
 * `histogram`: counts the values of an array, or of the coarsest level of a pyramid. Decode workers
 * count, the engine adds up their counts, and only the sums cross to the page.
 */
import type { AnyArray, Array as ZarrArray } from "../../api/array.ts";
import { bindCodecs, typeNameOf } from "../../api/array_definitions.ts";
import { FACTS, needArray } from "../../api/node_facts.ts";
import { type CfOptions, conversionOf } from "../../api/read/conversion.ts";
import { eventsTo, readArguments } from "../../api/read/read.ts";
import { type ReadOptions, requestWith } from "../../api/read/request.ts";
import { DECODE_RULE, READ_RULES } from "../../api/read/rules.ts";
import { type AnySelection, byIndex, requestOf } from "../../api/selection.ts";
import {
  need,
  needFunction,
  needList,
  needReadable,
  object,
  optionsOf,
  type Rules,
  refuse,
} from "../../engine/ts/model/argument.ts";
import { ZarrError } from "../../engine/ts/model/errors.ts";
import { newSummary, SUMMARY_INDEX } from "../../engine/ts/model/read_request.ts";
import type { DataType, Readable } from "../../engine/ts/model/types.ts";
import { call } from "../../engine/ts/port/engine.ts";
import { type AtIndices, levelIndices } from "./axis_indices.ts";
import { Pyramid } from "./pyramid_model.ts";

/** Options of `histogram`. */
export interface HistogramOptions extends ReadOptions {
  /** The elements to count. Default: the whole array. */
  selection?: AnySelection | null | undefined;
  /**
   * Indices of a pyramid's axes other than x and y, as in `Pyramid.pick`. Null selects all of an
   * axis. Default: 0.
   *
   * @throws an `Argument` error together with `selection`, and for an array.
   */
  at?: AtIndices | undefined;
  /** Number of bins, from 1 to 65536. Default: 256. */
  bins?: number | undefined;
  /**
   * The range of values that the bins divide. Default: from the lowest to the highest finite value,
   * which takes a second read, except for 8-bit types with 256 bins.
   */
  window?: readonly [low: number, high: number] | undefined;
  /** `"cf"` decodes by CF's attributes; missing values are NaN. Default: values as stored. */
  decode?: "cf" | CfOptions | undefined;
}

/** Counts of values in bins of equal width, and their statistics. Made by `histogram`. */
export class Histogram {
  /** Number of values in each bin. */
  readonly counts: Float64Array;
  /** Start of the first bin and end of the last one. Both ends belong to the bins. */
  readonly window: readonly [low: number, high: number];
  /** Number of values that are not NaN. */
  readonly count: number;
  /** Number of NaNs. With `decode: "cf"` missing values are NaN. */
  readonly missing: number;
  /** Number of values below the window. */
  readonly below: number;
  /** Number of values above the window. */
  readonly above: number;
  /** Lowest finite value; NaN if there is none. */
  readonly min: number;
  /** Highest finite value; NaN if there is none. */
  readonly max: number;
  /** Sum of the finite values, divided by `count`. */
  readonly mean: number;

  /** @internal */
  constructor(numbers: Float64Array, window: readonly [number, number]) {
    const [count = 0, missing = 0, below = 0, above = 0, min = 0, max = 0, sum = 0] = numbers;
    [this.count, this.missing, this.below, this.above] = [count, missing, below, above];
    [this.min, this.max] = min <= max ? [min, max] : [Number.NaN, Number.NaN];
    this.mean = sum / count;
    this.counts = numbers.slice(SUMMARY_INDEX.bins);
    this.window = window;
  }

  /**
   * The histogram of numbers in memory.
   *
   * @param values Lists of numbers, which together are the values.
   * @throws an `Argument` error for invalid bins or an invalid window.
   */
  static of(
    values: Iterable<ArrayLike<number | bigint>>,
    options: Pick<HistogramOptions, "bins" | "window"> = {},
  ): Histogram {
    const { bins = 256, window } = optionsOf(options, OF_RULES);
    needFunction(object(values, "values")[Symbol.iterator], "values");
    const lists = [...values];
    for (const list of lists) needList(list, "values");
    const count = checked({ bins, window });
    const [low, high] = window ?? boundsOf(summaryOf(lists, [0, 0], 0));
    return new Histogram(summaryOf(lists, [low, high], count), [low, high]);
  }

  /**
   * The quantile of a share, exact to the width of a bin. NaN if there are no values.
   *
   * @param share The share of values below it, from 0 to 1: 0.5 for the median.
   * @throws an `Argument` error for another share.
   */
  quantile(share: number): number {
    need(typeof share === "number" && share >= 0 && share <= 1, "share", "a number from 0 to 1", share);
    const wanted = share * this.count;
    const [low, high] = this.window;
    const width = (high - low) / this.counts.length;
    if (this.count === 0) return Number.NaN;
    if (wanted <= this.below && this.below > 0) return this.min;
    let before = this.below;
    for (const [bin, count] of this.counts.entries()) {
      if (count > 0 && before + count >= wanted) {
        const value = low + (bin + (wanted - before) / count) * width;
        return Math.min(Math.max(value, this.min), this.max);
      }
      before += count;
    }
    return this.max;
  }
}

const OF_RULES = { bins: "a number", window: "a list" } as const;

const RULES: Rules<HistogramOptions> = {
  ...READ_RULES,
  ...OF_RULES,
  selection: "anything",
  at: "an object",
  decode: DECODE_RULE,
};

/** The summary of numbers in memory. */
function summaryOf(
  lists: readonly ArrayLike<number | bigint>[],
  [low, high]: readonly [number, number],
  bins: number,
): Float64Array {
  const numbers = newSummary(bins);
  for (const list of lists) {
    for (let at = 0; at < list.length; at += 1) {
      const number = Number(list[at]);
      add(numbers, number, indexFor(number, low, high, bins));
    }
  }
  return numbers;
}

/** The lowest and the highest finite number; zeros if there is none. Their difference is finite. */
function boundsOf(numbers: Float64Array): [low: number, high: number] {
  const { [SUMMARY_INDEX.lowest]: low = 0, [SUMMARY_INDEX.highest]: high = 0 } = numbers;
  const within = (number: number) => Math.max(-MAX_NUMBER, Math.min(number, MAX_NUMBER));
  return low <= high ? [within(low), within(high)] : [0, 0];
}

/** Half of the range of doubles: two numbers within have a finite difference. */
const MAX_NUMBER = Number.MAX_VALUE / 2;

/**
 * The index in a summary where a number is counted: missing, outside of the window, or a bin.
 * The rule is that of the kernel (`src/kernel/summary.rs`).
 */
function indexFor(number: number, low: number, high: number, bins: number): number {
  if (Number.isNaN(number)) return SUMMARY_INDEX.missing;
  if (number < low) return SUMMARY_INDEX.below;
  if (number > high) return SUMMARY_INDEX.above;
  if (high === low) return SUMMARY_INDEX.bins;
  const begin = (bin: number) => low + (bin * (high - low)) / bins;
  const bin = Math.min(Math.floor(((number - low) / (high - low)) * bins), bins - 1);
  if (bin > 0 && number < begin(bin)) return SUMMARY_INDEX.bins + bin - 1;
  return SUMMARY_INDEX.bins + (bin + 1 < bins && number >= begin(bin + 1) ? bin + 1 : bin);
}

function add(numbers: Float64Array, number: number, index: number): void {
  numbers[index] = (numbers[index] as number) + 1;
  if (index === SUMMARY_INDEX.missing) return;
  numbers[SUMMARY_INDEX.count] = (numbers[SUMMARY_INDEX.count] as number) + 1;
  if (!Number.isFinite(number)) return;
  numbers[SUMMARY_INDEX.lowest] = Math.min(numbers[SUMMARY_INDEX.lowest] as number, number);
  numbers[SUMMARY_INDEX.highest] = Math.max(numbers[SUMMARY_INDEX.highest] as number, number);
  numbers[SUMMARY_INDEX.sum] = (numbers[SUMMARY_INDEX.sum] as number) + number;
}

/** Lowest and highest value of the types with at most 256 values. */
const FEW: Record<string, readonly [number, number]> = { bool: [0, 255], uint8: [0, 255], int8: [-128, 127] };

type Source = ZarrArray<DataType, Readable> | Pyramid<Readable>;

/** The array and the selection to count. */
async function subject(
  source: Source,
  { selection, at, signal }: HistogramOptions,
): Promise<[AnyArray, AnySelection | null | undefined]> {
  const isPyramid = source instanceof Pyramid;
  const hasSelection = selection !== undefined && selection !== null;
  if (at && (!isPyramid || hasSelection)) {
    refuse(
      "at and selection are alternatives",
      "at for a pyramid, or a selection of an array's elements",
      isPyramid ? "both" : "at for an array",
    );
  }
  const level = isPyramid ? source.levels.at(-1) : undefined;
  if (isPyramid && !level) throw new ZarrError("Argument", "the pyramid has no level");
  const array = (level?.array ?? source) as AnyArray;
  if (!isPyramid || hasSelection) return [array, await byIndex(array, selection, signal)];
  return [array, levelIndices(source, source.levels.length - 1, at)];
}

function checked({ bins = 256, window }: HistogramOptions): number {
  const isWindow =
    window === undefined ||
    (window.length === 2 && window[0] <= window[1] && Number.isFinite(window[1] - window[0]));
  need(isWindow, "window", "two finite numbers, the lower one first", window);
  need(Number.isInteger(bins) && bins > 0 && bins <= 65536, "bins", "an integer from 1 to 65536", bins);
  return bins;
}

/**
 * Counts the values of a selection of an array, or of the coarsest level of a pyramid. Chunks are
 * decoded and counted in the workers. Memory holds only the counts, so the selection may have any
 * size.
 *
 *     const { counts, window } = await histogram(array, { bins: 100 });
 *
 * @param source An array or a pyramid.
 * @throws an `Argument` error for invalid bins or an invalid window.
 * @throws the errors of `Array.get`.
 */
export async function histogram(source: Source, options: HistogramOptions = {}): Promise<Histogram> {
  needReadable(source, "source");
  if (!(source instanceof Pyramid)) needArray(source, "source");
  const bins = checked(optionsOf(options, RULES));
  const { decode, signal, priority } = options;
  const [array, selection] = await subject(source, options);
  const type = await typeNameOf(array);
  const unpacked = await conversionOf(array, { decode });
  await array[FACTS].refreshStale?.(signal);
  const selected = { ...requestOf(selection, array[FACTS]), streamed: true };
  await bindCodecs(array[FACTS], signal);
  const summarised = async (low: number, high: number, count: number): Promise<Float64Array> => {
    const summary: [number, number, number] = [low, high, count];
    const conversion = { ...unpacked?.request, summary };
    const request = { ...requestWith(selected, { priority }), conversion };
    const onEvent = eventsTo(options);
    const args = readArguments({ array, request }, options);
    return (await call("summarise", args, { signal, onEvent })).numbers;
  };
  if (options.window) {
    const [low, high] = options.window;
    return new Histogram(await summarised(low, high, bins), [low, high]);
  }
  const few = unpacked ? undefined : FEW[type];
  if (few && bins === 256) return narrowed(await summarised(few[0], few[1] + 1, 256), few[0]);
  const [low, high] = boundsOf(await summarised(0, 0, 0));
  return new Histogram(await summarised(low, high, bins), [low, high]);
}

/** Drops the empty bins below the lowest and above the highest value. Each bin is one value. */
function narrowed(numbers: Float64Array, first: number): Histogram {
  if (numbers[SUMMARY_INDEX.count] === 0) return new Histogram(numbers, [first, first + 256]);
  const [low, high] = [numbers[SUMMARY_INDEX.lowest] as number, numbers[SUMMARY_INDEX.highest] as number];
  const bins = numbers.slice(SUMMARY_INDEX.bins + low - first, SUMMARY_INDEX.bins + high - first + 1);
  const kept = new Float64Array(SUMMARY_INDEX.bins + bins.length);
  kept.set(numbers.subarray(0, SUMMARY_INDEX.bins));
  kept.set(bins, SUMMARY_INDEX.bins);
  return new Histogram(kept, [low, high + 1]);
}
