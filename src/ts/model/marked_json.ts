/**
 * JSON that the engine has marked (`metadata::marked`): parsed, with bigints, NaN and infinities where the marks stand. The walk touches
 * only what leads to a mark.
 */

/** By key or index, of everything that holds marks; a mark is the token that it stands for. */
type Places = { [key: string]: Places | string };

const MARK = "\u0000";

const TOKENS: Record<string, number> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

const meaningOf = (token: string): number | bigint => TOKENS[token] ?? BigInt(token);

/** The value of a text, and of the places in it. */
export function parseMarked(text: string, places: string): unknown {
  const [value, marks] = [JSON.parse(text), JSON.parse(places) as Places | string];
  if (typeof marks === "string") return meaningOf(marks);
  restore(value, marks);
  return value;
}

function restore(value: Record<string, unknown>, places: Places): void {
  for (const [key, place] of Object.entries(places)) {
    // Of a key that stands twice, the marks may be those of the one that does not count.
    if (!Object.hasOwn(value, key)) continue;
    const inner = value[key];
    if (typeof place === "string") {
      if (inner === MARK + place) value[key] = meaningOf(place);
    } else if (typeof inner === "object" && inner !== null) {
      restore(inner as Record<string, unknown>, place);
    }
  }
}
