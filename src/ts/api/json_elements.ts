/**
 * The elements of codecs that encode objects, as values and as the JSON texts that the engine
 * takes. NaN and infinities are tokens in these texts, as Python writes them.
 */
const TOKENS: Record<string, number> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};
const MARK = "\u0000";

const unmarked = (_: string, value: unknown) =>
  typeof value === "string" && value.startsWith(MARK) ? (TOKENS[value.slice(1)] ?? value) : value;

/** The value of a JSON text. */
export function valueOfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Strings stay as they are. Outside of them, a token becomes a marked string.
    const marked = text.replaceAll(/"(?:[^"\\]|\\.)*"?|-?Infinity|NaN/gs, (token) =>
      token.startsWith('"') ? token : `"\\u0000${token}"`,
    );
    return JSON.parse(marked, unmarked);
  }
}

/** The JSON text of a value. Bigints are integers. */
export function jsonOfValue(value: unknown): string {
  const marked = JSON.stringify(value, (_, inner) => {
    const isToken = typeof inner === "number" && !Number.isFinite(inner);
    return isToken || typeof inner === "bigint" ? `${MARK}${inner}` : inner;
  });
  return (marked ?? "null").replaceAll(/"\\u0000(-?Infinity|NaN|-?\d+)"/g, "$1");
}
