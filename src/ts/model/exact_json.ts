/**
 * Writes JSON with exact 64-bit integers.
 */
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
