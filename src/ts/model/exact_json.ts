/**
 * Writes JSON with exact 64-bit integers.
 */

/**
 * Writes JSON in which bigints are integers, non-finite numbers are strings, and −0 keeps its sign.
 * `JSON.stringify` alone rejects bigints, and writes 0 for −0.
 */
export function exactJson(value: unknown): string {
  const mark = "\u0001number:";
  const text = JSON.stringify(value, (_, inner) => {
    if (typeof inner === "bigint") return `${mark}${inner}`;
    if (Object.is(inner, -0)) return `${mark}-0.0`;
    return typeof inner === "number" && !Number.isFinite(inner) ? String(inner) : inner;
  });
  return text.replaceAll(/"\\u0001number:([-.\d]+)"/g, "$1");
}
