/**
 * Colours of labels. Labels are integers that identify objects, such as the cells of an image. This
 * file converts the caller's colours to the form that the decode workers read. The workers choose
 * the colours of all other labels (`src/kernel/convert/labels.rs`).
 */
import { shown, ZarrError } from "../../model/errors.ts";

/** `"#rrggbb"`, `"#rrggbbaa"`, or red, green, blue and alpha from 0 to 255. Default alpha: 255. */
export type LabelColor = string | ArrayLike<number>;

/** An entry of the list `colors` of OME's `image-label`. */
export interface OmeLabelColor {
  "label-value": number | bigint;
  rgba?: ArrayLike<number>;
}

/**
 * Colours of labels. `"labels"`: the colour depends only on the label, and 0 is transparent.
 * `{ labels }` gives colours for some labels: a `Map` from label to colour, or OME's list.
 */
export type LabelColors =
  | "labels"
  | { readonly labels: ReadonlyMap<number | bigint, LabelColor> | readonly OmeLabelColor[] };

/** The range of labels: they cross to the workers as 64 bits. */
const [LOWEST, SIGNED_END, END] = [-(2n ** 63n), 2n ** 63n, 2n ** 64n];

function refuse(what: string, expected: string, actual: unknown): never {
  throw new ZarrError("Argument", what, { expected, actual: shown(actual).slice(0, 80) });
}

/** Red, green, blue and alpha of a colour. */
function bytesOf(color: LabelColor): number[] {
  const expected = '"#rrggbb", "#rrggbbaa", or three or four numbers from 0 to 255';
  const isText = typeof color === "string";
  if (isText && !/^#?([0-9a-f]{6}|[0-9a-f]{8})$/i.test(color))
    refuse("the colour of a label is not valid", expected, color);
  const numbers = isText
    ? (color.replace("#", "").match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16))
    : globalThis.Array.from(color);
  const isByte = (number: number) => Number.isInteger(number) && number >= 0 && number <= 255;
  const isWhole = (numbers.length === 3 || numbers.length === 4) && numbers.every(isByte);
  return isWhole
    ? [...numbers, 255].slice(0, 4)
    : refuse("the colour of a label is not valid", expected, numbers);
}

function labelOf(value: unknown): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  return refuse("a label is not an integer", "a safe integer, or a bigint", value);
}

function entriesOf(colors: Exclude<LabelColors, "labels">): [bigint, LabelColor][] {
  const { labels } = colors;
  if (globalThis.Array.isArray(labels)) {
    const coloured = (labels as readonly OmeLabelColor[]).filter(({ rgba }) => rgba !== undefined);
    return coloured.map((entry) => [labelOf(entry["label-value"]), entry.rgba as LabelColor]);
  }
  if (!(labels instanceof Map))
    refuse("the colours of labels are not valid", "a Map, or OME's list of colours", labels);
  const entries = labels as ReadonlyMap<number | bigint, LabelColor>;
  return [...entries].map(([label, color]) => [labelOf(label), color]);
}

/** Three numbers per label: its lower 32 bits, its upper 32 bits, and the bytes of its colour. */
export function labelWords(colors: Exclude<LabelColors, "labels">, dataType: string): number[] {
  const [lowest, end] = dataType.startsWith("uint") || dataType === "bool" ? [0n, END] : [LOWEST, SIGNED_END];
  return entriesOf(colors).flatMap(([label, color]) => {
    const [red = 0, green = 0, blue = 0, alpha = 0] = bytesOf(color);
    // The type cannot hold this label. Its lower bits could be those of another label.
    if (label < lowest || label >= end) return [];
    const bits = BigInt.asUintN(64, label);
    const word = (red | (green << 8) | (blue << 16) | (alpha << 24)) >>> 0;
    return [Number(bits & 0xffff_ffffn), Number(bits >> 32n), word];
  });
}
