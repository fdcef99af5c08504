/**
 * JSON that the engine has marked (`metadata::marked`): parsed, with bigints, NaN and infinities
 * where the marks stand. The walk touches only what leads to a mark.
 */
import type { JsonText } from "./node_summary.ts";

/** By key or index, of everything that holds marks; a mark is the token that it stands for. */
type Places = { [key: string]: Places | string };

const MARK = "\u0000";

const TOKENS: Record<string, number> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

/** The value of a token: integers are exact, or rounded to numbers. */
type Meaning = (token: string) => number | bigint;

const exact: Meaning = (token) => TOKENS[token] ?? BigInt(token);
const rounded: Meaning = (token) => TOKENS[token] ?? Number(token);

/**
 * The value of a text, and of the places in it. With `exactIntegers` those that a number would
 * round are bigints.
 */
export function parseJsonText(json: JsonText, exactIntegers = false): unknown {
  if (typeof json === "string") return JSON.parse(json);
  const [text, places] = json;
  const meaningOf = exactIntegers ? exact : rounded;
  const [value, marks] = [JSON.parse(text), JSON.parse(places) as Places | string];
  if (typeof marks === "string") return meaningOf(marks);
  restore(value, marks, meaningOf);
  return value;
}

function restore(value: Record<string, unknown>, places: Places, meaningOf: Meaning): void {
  for (const [key, place] of Object.entries(places)) {
    // Of a key that stands twice, the marks may be those of the one that does not count.
    if (!Object.hasOwn(value, key)) continue;
    const inner = value[key];
    if (typeof place === "string") {
      if (inner === MARK + place) value[key] = meaningOf(place);
    } else if (typeof inner === "object" && inner !== null) {
      restore(inner as Record<string, unknown>, place, meaningOf);
    }
  }
}
