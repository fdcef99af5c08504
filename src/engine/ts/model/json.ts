/**
 * JSON beyond what JavaScript's own reads and writes: exact 64-bit integers, NaN and infinities.
 * The engine marks what `JSON.parse` cannot read (`metadata::lossless`). Bigints, NaN and
 * infinities replace the marks; only objects that contain a mark are visited.
 */

import type { JsonText } from "../../../contract/contract.ts";
import { ZarrError } from "./errors.ts";

/**
 * Writes JSON in which bigints are integers, non-finite numbers are strings, and −0 keeps its sign.
 * `JSON.stringify` alone rejects bigints, and writes 0 for −0. Bigints beyond the largest double
 * are integers, or `"infinite"`: the strings that such numbers are. Throws an `Argument` error that
 * names the value if it has no JSON.
 */
export function exactJson(
  value: unknown,
  field: string,
  beyondDoubles: "exact" | "infinite" = "exact",
): string {
  const mark = "\u0001number:";
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(value, (_, inner) => {
      if (typeof inner === "bigint") {
        const isKept = beyondDoubles === "exact" || Number.isFinite(Number(inner));
        return isKept ? `${mark}${inner}` : String(Number(inner));
      }
      if (Object.is(inner, -0)) return `${mark}-0.0`;
      return typeof inner === "number" && !Number.isFinite(inner) ? String(inner) : inner;
    });
  } catch (error) {
    cause = error;
  }
  if (text === undefined) throw new ZarrError("Argument", `${field} has no JSON`, { field, cause });
  return text.replaceAll(/"\\u0001number:([-.\d]+)"/g, "$1");
}

/** The tokens that marks replace, by key or index. */
type Marks = { [key: string]: Marks | string };

/** Begins the text that replaces a token. */
export const MARK = "\u0000";

/** The numbers that JSON has no token for. */
export const TOKENS: Record<string, number> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

/** Converts a token to its value. Integers become bigints or rounded numbers. */
type Meaning = (token: string) => number | bigint;

const exact: Meaning = (token) => TOKENS[token] ?? BigInt(token);
const rounded: Meaning = (token) => TOKENS[token] ?? Number(token);

/**
 * Parses a text and restores its marks. With `exactIntegers`, integers that a number would round
 * become bigints.
 */
export function parseJsonText({ text, marks }: JsonText, exactIntegers = false): unknown {
  if (marks === undefined) return JSON.parse(text);
  const meaningOf = exactIntegers ? exact : rounded;
  const [value, tokens] = [JSON.parse(text), JSON.parse(marks) as Marks | string];
  if (typeof tokens === "string") return meaningOf(tokens);
  restore(value, tokens, meaningOf);
  return value;
}

function restore(value: Record<string, unknown>, marks: Marks, meaningOf: Meaning): void {
  for (const [key, mark] of Object.entries(marks)) {
    // If a key occurs twice, the marks may belong to the occurrence that `JSON.parse` drops.
    if (!Object.hasOwn(value, key)) continue;
    const inner = value[key];
    if (typeof mark === "string") {
      if (inner === MARK + mark) value[key] = meaningOf(mark);
    } else if (typeof inner === "object" && inner !== null) {
      restore(inner as Record<string, unknown>, mark, meaningOf);
    }
  }
}
