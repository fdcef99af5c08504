/**
 * Packs numbers. A value that the data type cannot represent is rejected with its position. With
 * `cast` it is converted as by a cast in C: fractions are truncated, large integers wrap around,
 * anything but 0 is true. A `Date` becomes NumPy's count of units since 1970, the inverse of
 * `elements/elements.ts`.
 *
 * The engine packs floats without a typed array in JavaScript. Then values are packed twice: first
 * to collect the numbers, then with the engine's results.
 */
import { floorDivide, IN_A_MILLISECOND, MILLISECONDS, NAT } from "../../engine/ts/elements/elements.ts";
import { isInOrder } from "../../engine/ts/elements/pack.ts";
import {
  CLASSES,
  type Elements,
  type ElementsClass,
  isView,
  product,
} from "../../engine/ts/elements/typed_arrays.ts";
import type { TimeUnit, TypeDescription } from "../../engine/ts/model/data_type.ts";
import { shown, ZarrError } from "../../engine/ts/model/errors.ts";
import { viewBytes } from "../../engine/ts/model/memory.ts";
import { integerRange } from "../../engine/ts/model/number_types.ts";
import { BoolArray } from "../../engine/ts/model/wrapper_arrays.ts";
import { call } from "../../engine/ts/port/engine.ts";
import type { FloatsToPack, PackedFloats } from "../../engine/ts/port/operations.ts";
import { eachRow, entryOf, indexText, ONE, unitsOf, type Values } from "./layout.ts";

export interface PackOptions {
  /**
   * Whether to convert values that the data type cannot represent, as by a cast in C: fractions are
   * cut off, large integers wrap around. Default: false, which rejects them.
   *
   * @throws an `Argument` error for such a value, with its place.
   */
  cast?: boolean | undefined;
  /** @internal Packs floats that JavaScript has no typed array for. */
  floats?: FloatPacker | undefined;
}

/** Converts a value for a typed array; undefined if the type cannot represent it. */
type Convert = (value: unknown) => number | bigint | undefined;

/** Number of bits of an integer type, from its name: `uint4` has fewer than its typed array. */
const bitsOf = ({ name }: TypeDescription): number => Number(/(?<!\d)\d+$/.exec(name)?.[0] ?? 8);

const isSigned = ({ name }: TypeDescription): boolean => !name.startsWith("u");

function castInteger(value: unknown, bits: number, signed: boolean): number {
  const wide =
    typeof value === "bigint"
      ? value
      : BigInt(Math.trunc(Number.isFinite(value) ? (value as number) : Number(value) || 0));
  return Number(signed ? BigInt.asIntN(bits, wide) : BigInt.asUintN(bits, wide));
}

function integers(type: TypeDescription, cast: boolean): Convert {
  const [bits, signed] = [bitsOf(type), isSigned(type)];
  const [low, high] = integerRange(type.name) ?? [0, 0];
  return (value) => {
    if (typeof value === "number" && Number.isInteger(value) && value >= low && value <= high) return value;
    if (!cast) return undefined;
    const number = typeof value === "bigint" ? value : Number(value);
    return castInteger(typeof number === "number" && !Number.isFinite(number) ? 0 : number, bits, signed);
  };
}

function wideIntegers(type: TypeDescription, cast: boolean): Convert {
  const signed = isSigned(type);
  const fit = (value: bigint) => (signed ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value));
  return (value) => {
    if (typeof value === "bigint") return fit(value) === value || cast ? fit(value) : undefined;
    if (!cast) return undefined;
    const number = Number(value);
    return fit(Number.isFinite(number) ? BigInt(Math.trunc(number)) : 0n);
  };
}

/** Converts times: counts as bigints, and dates that are whole counts. */
function times(type: TypeDescription, cast: boolean): Convert {
  const counts = wideIntegers({ ...type, name: "int64" }, cast);
  return (value) => {
    if (!(value instanceof Date)) return value === "NaT" ? NAT : counts(value);
    return type.kind === "datetime" ? countOfDate(value, type.unit, type.scaleFactor, cast) : undefined;
  };
}

function floats(round: (value: number) => number, cast: boolean): Convert {
  return (value) => {
    if (typeof value !== "number") return cast ? Number(value) : undefined;
    // A finite number beyond the type's range would become infinite.
    return cast || Number.isFinite(round(value)) || !Number.isFinite(value) ? value : undefined;
  };
}

function booleans(cast: boolean): Convert {
  return (value) => {
    if (value === true || value === 1) return 1;
    if (value === false || value === 0) return 0;
    return cast ? Number(Boolean(value)) : undefined;
  };
}

const roundHalf = (Math as { f16round?: (value: number) => number }).f16round ?? ((value: number) => value);

function converter(type: TypeDescription, cast: boolean): Convert {
  const { kind, view } = type;
  if (kind === "bool") return booleans(cast);
  if (kind === "datetime" || kind === "timedelta") return times(type, cast);
  if (kind === "integer") return bitsOf(type) === 64 ? wideIntegers(type, cast) : integers(type, cast);
  if (!isView(type)) return floats((value) => value, cast);
  if (view === "Float32Array") return floats(Math.fround, cast);
  return floats(view === "Float16Array" ? roundHalf : (value) => value, cast);
}

/** Whether every element of this typed array is an element of the data type. */
function isSame(type: TypeDescription, data: unknown): boolean {
  const isWhole = type.kind !== "bool" && (type.kind !== "integer" || bitsOf(type) >= 8);
  return isWhole && isView(type) && data instanceof CLASSES[type.view ?? "Uint8Array"];
}

function shownValue(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  return typeof value === "string" ? JSON.stringify(value) : shown(value);
}

export function refuseValue({ name }: TypeDescription, value: unknown, index: string): never {
  const one = shownValue(value);
  const text = index === ONE ? one : `${one} at ${index}`;
  throw new ZarrError("Argument", `${name} cannot hold ${text} (\`cast: true\` converts it)`, {
    expected: name,
    actual: text,
  });
}

/** The memory of values that are packed already; undefined otherwise. */
function inPlace(type: TypeDescription, values: Values, count: number): Uint8Array | undefined {
  const data = values.data as Elements;
  if (!isSame(type, data) || data.length !== count || !isInOrder(values.shape, values.stride))
    return undefined;
  return viewBytes(data);
}

/** Calls `put` with each number. Two adjacent numbers are a complex one. */
function eachNumber(values: Values, units: number, put: (value: unknown, at: number) => void): void {
  const { shape, stride, data } = values;
  const entry = entryOf(data);
  const [count, step] = [shape.at(-1) ?? 1, (stride.at(-1) ?? 0) * units];
  let at = 0;
  eachRow(values, (start) => {
    for (let within = 0; within < count; within += 1) {
      for (let unit = 0; unit < units; unit += 1) {
        put(entry(start * units + within * step + unit), at);
        at += 1;
      }
    }
  });
}

/** Packs floats without a typed array in JavaScript. */
function packNarrow(
  type: TypeDescription,
  numbers: Float64Array,
  shape: readonly number[],
  units: number,
  { cast = false, floats }: PackOptions,
): Uint8Array {
  if (!floats) throw new Error(`only the engine can pack ${type.name}`);
  const name = type.name.replace("complex_", "");
  const byteLength = (numbers.length * (type.size ?? 1)) / units;
  const packed = floats({ name, numbers, cast, byteLength });
  if (typeof packed !== "number") return packed;
  return refuseValue(type, numbers[packed], indexText(Math.floor(packed / units), shape));
}

/** Packs values that have been broadcast to their shape. */
export function packNumbers(type: TypeDescription, values: Values, options: PackOptions): Uint8Array {
  const { cast = false } = options;
  const units = unitsOf(type);
  const count = product(values.shape) * units;
  // zarrita's class stores booleans as bytes of 0 and 1.
  const { data } = values;
  const bytes = data instanceof BoolArray ? new Uint8Array(data.buffer, data.byteOffset, data.length) : data;
  const source = { ...values, data: bytes };
  const there = inPlace(type, source, count);
  if (there) return there;
  const Target: ElementsClass = isView(type) ? CLASSES[type.view ?? "Uint8Array"] : Float64Array;
  const packed = new Target(count);
  const convert = converter(type, cast);
  if (isSame(type, bytes)) {
    eachNumber(source, units, (value, at) => {
      packed[at] = value as never;
    });
  } else {
    eachNumber(source, units, (value, at) => {
      const number = convert(value);
      if (number === undefined) refuseValue(type, value, indexText(Math.floor(at / units), values.shape));
      packed[at] = number as never;
    });
  }
  if (!isView(type)) return packNarrow(type, packed as Float64Array, values.shape, units, options);
  return viewBytes(packed);
}

/** Divides, rounding down, and tells whether the division is exact. */
const divide = (value: bigint, divisor: bigint): [quotient: bigint, exact: boolean] => [
  floorDivide(value, divisor),
  value % divisor === 0n,
];

/** Months since January 1970, and whether the date is the start of a month. */
function monthsOf(date: Date): [months: bigint, exact: boolean] {
  const months = BigInt((date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth());
  const first = new Date(0);
  first.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth());
  return [months, first.getTime() === date.getTime()];
}

function inUnits(date: Date, unit: TimeUnit): [count: bigint, exact: boolean] | undefined {
  if (unit === "Y" || unit === "M") {
    const [months, exact] = monthsOf(date);
    if (unit === "M") return [months, exact];
    const [years, whole] = divide(months, 12n);
    return [years, exact && whole];
  }
  const ms = BigInt(date.getTime());
  const coarse = MILLISECONDS[unit];
  if (coarse !== undefined) return divide(ms, coarse);
  const fine = IN_A_MILLISECOND[unit];
  return fine === undefined ? undefined : [ms * fine, true];
}

/**
 * The count of units for a date; NaT for an invalid date. Undefined if the date is not a whole
 * count, unless `cast` allows rounding down.
 */
function countOfDate(date: Date, unit: TimeUnit = "generic", scale = 1, cast = false): bigint | undefined {
  if (Number.isNaN(date.getTime())) return NAT;
  const found = inUnits(date, unit);
  if (!found) return undefined;
  const [count, whole] = divide(found[0], BigInt(scale));
  const fits = BigInt.asIntN(64, count) === count && count !== NAT;
  return fits && ((whole && found[1]) || cast) ? count : undefined;
}

/** Packs numbers. Returns the index of the first number that the type cannot represent. */
export type FloatPacker = (floats: FloatsToPack) => PackedFloats;

/** Runs `pack` with the engine's packed floats. `pack` must do the same each time. */
export async function withPackedFloats<T>(
  pack: (floats: FloatPacker) => T,
  signal: AbortSignal | undefined,
): Promise<T> {
  const asked: FloatsToPack[] = [];
  const first = pack((floats) => {
    asked.push(floats);
    return new Uint8Array(floats.byteLength);
  });
  if (asked.length === 0) return first;
  const answers = await call("packFloats", () => ({ floats: asked }), { signal });
  let next = 0;
  return pack(() => answers[next++] as PackedFloats);
}
