/**
 * Writes JSON with exact 64-bit integers.
 */
import { ZarrError } from "./errors.ts";

/**
 * Writes JSON in which bigints are integers and non-finite numbers are strings. `JSON.stringify`
 * alone rejects bigints. Throws an `Argument` error that names the value if it has no JSON.
 */
export function exactJson(value: unknown, field: string): string {
  const mark = "\u0001integer:";
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(value, (_, inner) => {
      if (typeof inner === "bigint") return `${mark}${inner}`;
      return typeof inner === "number" && !Number.isFinite(inner) ? String(inner) : inner;
    });
  } catch (error) {
    cause = error;
  }
  if (text === undefined) throw new ZarrError("Argument", `${field} has no JSON`, { field, cause });
  return text.replaceAll(/"\\u0001integer:(-?\d+)"/g, "$1");
}
