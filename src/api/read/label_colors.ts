/**
 * Colours of labels that the caller has chosen, as the decode workers read them. The others have
 * colours that the workers choose (`src/kernel/convert/labels.rs`). It is lazy code.
 */
import { refuse } from "../../engine/ts/model/argument.ts";
import { bytesIn, type LabelColor, type LabelColors, type OmeLabelColor, shortly } from "./colors.ts";

/** The range of labels: they cross to the workers as 64 bits. */
const [LOWEST, SIGNED_END, END] = [-(2n ** 63n), 2n ** 63n, 2n ** 64n];

/** Red, green, blue and alpha of a colour. */
function bytesOf(color: LabelColor): number[] {
  const expected = '"#rrggbb", "#rrggbbaa", or three or four numbers from 0 to 255';
  const isText = typeof color === "string";
  if (isText && !/^#?([0-9a-f]{6}|[0-9a-f]{8})$/i.test(color))
    refuse("the colour of a label is not valid", expected, shortly(color));
  const numbers = isText ? bytesIn(color.replace("#", "")) : globalThis.Array.from(color);
  const isByte = (number: number) => Number.isInteger(number) && number >= 0 && number <= 255;
  const isWhole = (numbers.length === 3 || numbers.length === 4) && numbers.every(isByte);
  return isWhole
    ? [...numbers, 255].slice(0, 4)
    : refuse("the colour of a label is not valid", expected, shortly(numbers));
}

function labelOf(value: unknown): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  return refuse("a label is not an integer", "a safe integer, or a bigint", shortly(value));
}

function entriesOf(colors: Exclude<LabelColors, "labels">): [bigint, LabelColor][] {
  const { labels } = colors;
  if (globalThis.Array.isArray(labels)) {
    const coloured = (labels as readonly OmeLabelColor[]).filter(({ rgba }) => rgba !== undefined);
    return coloured.map((entry) => [labelOf(entry["label-value"]), entry.rgba as LabelColor]);
  }
  if (!(labels instanceof Map))
    refuse("the colours of labels are not valid", "a Map, or OME's list of colours", shortly(labels));
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
