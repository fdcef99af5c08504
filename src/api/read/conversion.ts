/**
 * Conversion of elements during a read: to another number type, unpacked, to shades or to colours.
 * This file converts the options to the engine's form; the decoders do the work
 * (`src/core/format/conversion.rs`). How CF's packed values are unpacked, the conventions module
 * reads from the array's attributes (`src/conventions/rust/cf/packing.rs`). What the engine answers
 * with becomes a result in `result.ts`.
 */
import { lazy } from "#lazy";
import type { Packing, PackingOptions } from "../../contract/contract.ts";
import { CLASSES } from "../../engine/ts/elements/typed_arrays.ts";
import { refuse } from "../../engine/ts/model/argument.ts";
import {
  NUMBER_VIEWS,
  type NumberType,
  type TypeDescription,
  type ViewName,
} from "../../engine/ts/model/data_type.ts";
import { exactJson } from "../../engine/ts/model/json.ts";
import { factsOf } from "../../engine/ts/model/node_like.ts";
import type { ConversionRequest } from "../../engine/ts/model/read_request.ts";
import { ask } from "../../engine/ts/port/convention.ts";
import { typeNameOf } from "../array_definitions.ts";
import { type ArrayNode, FACTS } from "../node_facts.ts";
import { type Colors, colorTable, type LabelColors, shadeTable } from "./colors.ts";
import type { Pixel } from "./result.ts";

const VIEWS: Record<NumberType | "bool", ViewName> = { bool: "Uint8Array", ...NUMBER_VIEWS };

const kindOf = (name: string) => {
  if (name === "bool") return "bool";
  return name.startsWith("float") ? "float" : "integer";
};

const sizeOf = (view: ViewName) => CLASSES[view].BYTES_PER_ELEMENT;

function typeOf(name: NumberType | "bool"): TypeDescription {
  const view = VIEWS[name];
  return { name, kind: kindOf(name), size: sizeOf(view), view, widens: name === "float16" };
}

/** The packed form of elements of several numbers. */
const pixels = (name: string, size: number): TypeDescription => ({ name, kind: "raw", size, widens: false });

/** Options for unpacking values by CF. */
export interface CfOptions {
  /** Always `"cf"`. */
  convention: "cf";
  /**
   * Whether to mask values outside of `valid_min`, `valid_max` and `valid_range`. xarray does not.
   * Default: true.
   */
  valid?: boolean | undefined;
  /**
   * Whether the fill value of a v2 array serves as `_FillValue` if no attribute gives one, as in
   * xarray. Default: true.
   */
  zarrFillValue?: boolean | undefined;
}

/** Options for the conversion of elements. */
export interface ConversionOptions {
  /**
   * The data type of the result. For an integer type, numbers are rounded to the nearest integer
   * (ties to even) and clamped to its range, and NaN becomes 0. For a float type, they are rounded
   * to the nearest float. With `window`, `"uint8"` gives shades and `"rgba"` colours. Default: the
   * type of the array, or the one that `decode` gives.
   */
  as?: NumberType | "rgba" | undefined;
  /**
   * `"cf"` decodes by CF's attributes: missing values become NaN, packed values are unpacked. An
   * object has further options. Default: elements stay as they are stored.
   *
   * @throws an `InvalidMetadataError` for attributes that cannot be used.
   */
  decode?: "cf" | CfOptions | undefined;
  /**
   * The numbers of the first and the last shade, for `as: "uint8"` and `as: "rgba"`. Default: the
   * range of the data type, for integers of up to 16 bits without `decode`; others need it.
   *
   * @throws an `Argument` error if it is needed and not given, and without shades or colours.
   */
  window?: readonly [low: number, high: number] | undefined;
  /** Exponent for positions in the window, which are from 0 to 1. Default: 1. */
  gamma?: number | undefined;
  /**
   * The colours of `as: "rgba"`. Default: `"gray"`. With `"labels"` the integers are labels, so
   * `window`, `gamma` and `decode` are not allowed.
   */
  colors?: Colors | LabelColors | undefined;
  /**
   * Whether each number is followed by its mask, in a last dimension of two. The mask of a number
   * is 1 (255 with `as: "uint8"`). Missing values, which are NaN or missing by `decode`, are 0 with
   * the mask 0. Requires a number type in `as`, except float16. Default: false.
   */
  mask?: boolean | undefined;
}

/** A conversion in the engine's form. */
export interface Conversion {
  /** Data type of the result. */
  type: TypeDescription;
  /** Only for elements of several numbers. */
  pixel?: Pixel;
  request: ConversionRequest;
}

/** The default windows, by data type. */
const WINDOWS: Record<string, readonly [low: number, high: number] | undefined> = {
  bool: [0, 1],
  int8: [-128, 127],
  uint8: [0, 255],
  int16: [-32768, 32767],
  uint16: [0, 65535],
};

function checked({ as, decode, window, gamma, colors, mask }: ConversionOptions): void {
  const isShaded = as === "rgba" || as === "uint8";
  if ((window !== undefined || gamma !== undefined) && !isShaded) {
    refuse("the option window requires shades or colours", 'as: "uint8" or as: "rgba"', as);
  }
  if (colors !== undefined && as !== "rgba")
    refuse("the option colors requires four bytes per element", 'as: "rgba"', as);
  if (isLabelColors(colors) && (decode ?? window ?? gamma) !== undefined)
    refuse("labels cannot be converted", "neither decode, window nor gamma", "one of them");
  if (mask && (as === undefined || as === "rgba" || as === "float16"))
    refuse("the option mask requires a number type", "as: a number type except float16", as);
}

/** The window, given or from the data type. */
export function windowOf({ window, decode }: ConversionOptions, type: string): readonly [number, number] {
  const own = window ?? (decode === undefined ? WINDOWS[type] : undefined);
  if (own && own.length === 2) return own;
  return refuse("shades require the option window", "window: [low, high]", window);
}

/** How to unpack an array's elements; null if its attributes do not say so. */
export async function packingOf(
  { [FACTS]: facts }: ArrayNode,
  dataType: string,
  { valid = true, zarrFillValue = true }: Partial<CfOptions>,
): Promise<Packing | null> {
  const attrs = facts.attributesWith({ bigint: true });
  const { text } = factsOf({ kind: "array", attrs, shape: [] });
  const isNumber = ["boolean", "bigint", "number"].includes(typeof facts.fillValue);
  const fillValue = zarrFillValue && facts.format === 2 && isNumber ? facts.fillValue : undefined;
  const wanted: PackingOptions = { dataType, ignoreValid: !valid, fillValue };
  return ask("packing", { wanted: exactJson(wanted, "decode"), node: text });
}

const isLabelColors = (colors: unknown): colors is LabelColors =>
  colors === "labels" || (typeof colors === "object" && colors !== null && "labels" in colors);

/** Colours, as in `ImageData`. */
const coloured = (request: ConversionRequest): Conversion => ({
  type: pixels("rgba", 4),
  pixel: { count: 4, view: "Uint8ClampedArray" },
  request,
});

/** Shades and colours of a window. */
function shaded(options: ConversionOptions, type: string, request: ConversionRequest): Conversion {
  const { as, gamma = 1, colors, mask } = options;
  const [low, high] = windowOf(options, type);
  if (as === "rgba") {
    request.shading = [low, high, gamma, 4, ...colorTable((colors ?? "gray") as Colors)];
    return coloured(request);
  }
  const shades = shadeTable();
  if (!mask) {
    request.shading = [low, high, gamma, 1, ...shades];
    return { type: typeOf("uint8"), request };
  }
  const last = shades.length - 1;
  const pairs = globalThis.Array.from(shades).flatMap((shade, at) => [shade, at === last ? 0 : 255]);
  request.shading = [low, high, gamma, 2, ...pairs];
  return { type: pixels("masked", 2), pixel: { count: 2, view: "Uint8Array" }, request };
}

/** Numbers of another type. */
function cast(as: NumberType, mask: boolean, request: ConversionRequest): Conversion {
  request.to = as;
  if (!mask) return { type: typeOf(as), request };
  request.mask = true;
  const view = VIEWS[as];
  return { type: pixels("masked", 2 * sizeOf(view)), pixel: { count: 2, view }, request };
}

/** Whether elements stay as they are. */
const isUnchanged = ({ as, decode, window, gamma, colors, mask }: ConversionOptions): boolean =>
  [as, decode, window, gamma, colors].every((option) => option === undefined) && !mask;

/** The conversion for the engine. Undefined if elements stay unchanged. */
export async function conversionOf(
  array: ArrayNode,
  options: ConversionOptions,
): Promise<Conversion | undefined> {
  const { as, decode, window, gamma, colors, mask = false } = options;
  if (isUnchanged(options)) return undefined;
  checked(options);
  const type = await typeNameOf(array);
  if (colors === "labels") return coloured({ labels: [] });
  if (isLabelColors(colors)) return coloured({ labels: (await lazy()).labelWords(colors, type) });
  const packing = decode ? await packingOf(array, type, typeof decode === "object" ? decode : {}) : null;
  const request: ConversionRequest = packing ? { unpacking: packing.words } : {};
  const isShaded = as === "rgba" || (as === "uint8" && (window !== undefined || gamma !== undefined));
  if (isShaded) return shaded(options, type, request);
  if (as !== undefined) return cast(as as NumberType, mask, request);
  return packing ? { type: typeOf(packing.to), request } : undefined;
}
