/**
 * Conversion of elements during a read: to another number type, unpacked, to shades or to colours.
 * This file converts the options to the engine's form; the decoders do the work
 * (`src/format/conversion.rs`).
 */

import type { NumberType, TypeDescription, ViewName } from "../../model/data_type.ts";
import { ZarrError } from "../../model/errors.ts";
import type { ConversionRequest } from "../../model/request.ts";
import { type Colors, colorTable, shadeTable } from "./colors.ts";
import { type CfOptions, type PackedNode, packingOf } from "./packing.ts";

const VIEWS: Record<NumberType | "bool", [ViewName, size: number]> = {
  bool: ["Uint8Array", 1],
  int8: ["Int8Array", 1],
  int16: ["Int16Array", 2],
  int32: ["Int32Array", 4],
  int64: ["BigInt64Array", 8],
  uint8: ["Uint8Array", 1],
  uint16: ["Uint16Array", 2],
  uint32: ["Uint32Array", 4],
  uint64: ["BigUint64Array", 8],
  float16: ["Float16Array", 2],
  float32: ["Float32Array", 4],
  float64: ["Float64Array", 8],
};

const kindOf = (name: string) => (name === "bool" ? "bool" : name.startsWith("float") ? "float" : "integer");

function typeOf(name: NumberType | "bool"): TypeDescription {
  const [view, size] = VIEWS[name];
  return { name, kind: kindOf(name), size, view, widens: name === "float16" };
}

const RGBA: TypeDescription = { name: "rgba", kind: "raw", size: 4, widens: false };

/** Options for the conversion of elements. */
export interface ConversionOptions {
  /**
   * The data type of the result. For an integer type, numbers are rounded to the nearest integer
   * (ties to even) and clamped to its range, and NaN becomes 0. For a float type, they are rounded
   * to the nearest float. With `window`, `"uint8"` gives shades and `"rgba"` colours.
   */
  as?: NumberType | "rgba" | undefined;
  /** `"cf"` decodes by CF's attributes: missing values become NaN, packed values are unpacked. */
  decode?: "cf" | CfOptions | undefined;
  /**
   * The numbers of the first and the last shade. Default: the range of the data type, for integers
   * of up to 16 bits.
   */
  window?: readonly [low: number, high: number] | undefined;
  /** Exponent for positions in the window, from 0 to 1. Default: 1. */
  gamma?: number | undefined;
  /** The colours for `"rgba"`. Default: `"gray"`. */
  colors?: Colors | undefined;
}

/** A conversion in the engine's form. */
export interface Conversion {
  /** Data type of the result; undefined if it is that of the array. */
  type: TypeDescription | undefined;
  isColors: boolean;
  request: ConversionRequest;
}

const RANGES: Record<string, readonly [number, number]> = {
  bool: [0, 1],
  int8: [-128, 127],
  uint8: [0, 255],
  int16: [-32768, 32767],
  uint16: [0, 65535],
};

function checked({ as, decode, window, gamma, colors }: ConversionOptions): void {
  const fail = (message: string, expected: string, actual: unknown): never => {
    throw new ZarrError("Argument", message, { expected, actual: String(actual) });
  };
  if (as !== undefined && as !== "rgba" && !Object.hasOwn(VIEWS, as)) {
    fail(
      "the option as is not a type that elements can be converted to",
      `${Object.keys(VIEWS).slice(1).join(", ")}, rgba or bytes`,
      as,
    );
  }
  const convention = typeof decode === "object" ? decode?.convention : decode;
  if (convention !== undefined && convention !== "cf")
    fail("the option decode is not a known convention", '"cf"', convention);
  const isShaded = as === "rgba" || as === "uint8";
  if ((window !== undefined || gamma !== undefined) && !isShaded) {
    fail("the option window requires shades or colours", 'as: "uint8" or as: "rgba"', as);
  }
  if (colors !== undefined && as !== "rgba") fail("the option colors requires rgba", 'as: "rgba"', as);
}

/** The window, given or from the data type. */
function windowOf({ window, decode }: ConversionOptions, type: string): readonly [number, number] {
  const own = window ?? (decode === undefined && Object.hasOwn(RANGES, type) ? RANGES[type] : undefined);
  if (own && own.length === 2) return own;
  throw new ZarrError("Argument", "shades require the option window", {
    expected: "window: [low, high]",
    actual: String(window),
  });
}

/**
 * The conversion for the engine; undefined if elements are not converted. Throws an `Argument`
 * error for options that do not fit together.
 */
export async function conversionOf(
  array: PackedNode,
  options: ConversionOptions,
  typeName: () => Promise<string>,
): Promise<Conversion | undefined> {
  const { as, decode, window, gamma = 1, colors } = options;
  if (as === undefined && decode === undefined && window === undefined && colors === undefined)
    return undefined;
  checked(options);
  const type = await typeName();
  const packing = decode ? await packingOf(array, type, typeof decode === "object" ? decode : {}) : null;
  const request: Conversion["request"] = packing ? { unpacking: packing.words } : {};
  const isColors = as === "rgba";
  if (isColors || (as === "uint8" && (window !== undefined || options.gamma !== undefined))) {
    const [low, high] = windowOf(options, type);
    const table = isColors ? colorTable(colors ?? "gray") : shadeTable();
    request.shading = [low, high, gamma, isColors ? 4 : 1, ...table];
    return { type: isColors ? RGBA : typeOf("uint8"), isColors, request };
  }
  if (as !== undefined) {
    request.to = as;
    return { type: typeOf(as as NumberType), isColors, request };
  }
  return packing ? { type: typeOf(packing.to), isColors, request } : undefined;
}
