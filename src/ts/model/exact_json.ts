/** JSON text of values that hold bigints. */

/** JSON in which 64-bit integers stay exact: `JSON.stringify` alone refuses bigints. */
export function exactJson(value: unknown): string {
  const mark = "\u0001integer:";
  const text = JSON.stringify(value, (_, inner) => {
    if (typeof inner === "bigint") return `${mark}${inner}`;
    return typeof inner === "number" && !Number.isFinite(inner) ? String(inner) : inner;
  });
  return text.replaceAll(/"\\u0001integer:(-?\d+)"/g, "$1");
}
