/**
 * Writes JSON with exact 64-bit integers.
 */

/**
 * Writes JSON in which bigints are integers and non-finite numbers are strings. `JSON.stringify`
 * alone rejects bigints.
 */
export function exactJson(value: unknown): string {
  const mark = "\u0001integer:";
  const text = JSON.stringify(value, (_, inner) => {
    if (typeof inner === "bigint") return `${mark}${inner}`;
    return typeof inner === "number" && !Number.isFinite(inner) ? String(inner) : inner;
  });
  return text.replaceAll(/"\\u0001integer:(-?\d+)"/g, "$1");
}
