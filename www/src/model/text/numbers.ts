/**
 * Formats numbers: byte counts, values and shapes. Number fields can only parse the output of
 * `plainNumber`.
 */

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

export function countText(count: number): string {
  return count.toLocaleString("en").replaceAll(",", "\u202f");
}

export function shapeText(shape: readonly number[]): string {
  return shape.length === 0 ? "scalar" : shape.map(countText).join(" × ");
}

/** A number with five significant digits, in a form that a number field can parse. */
export function plainNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value);
  const rounded = Number(value.toPrecision(5));
  // The field is narrow, and String() writes up to 21 digits.
  return Math.abs(rounded) >= 1e9 ? rounded.toExponential().replace("+", "") : String(rounded);
}

/** A value of a scale, rounded to about four significant digits of the scale's range. */
export function roundedText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e7) return minus(String(value));
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) return powerText(value);
  return minus(String(Number(value.toPrecision(4))));
}

/** A number with the sign for minus instead of a hyphen. */
export const minus = (text: string): string => text.replace(/^-/, "−").replace("e-", "e−");

/** Digits and hyphens as superscripts. */
export const raised = (power: string): string =>
  power.replace(/[\d-]/g, (sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"["0123456789-".indexOf(sign)] ?? sign);

/** Scientific notation, such as 1.5 × 10⁻⁶. */
function powerText(value: number, decimals = 2): string {
  const [digits = "", power = ""] = value.toExponential(decimals).split("e");
  return minus(`${Number(digits)} × 10${raised(power.replace("+", ""))}`);
}

/** The numbers of a scale, all with enough decimals to distinguish them. */
export function scaleTexts(values: readonly number[]): string[] {
  const steps = values.slice(1).map((value, at) => Math.abs(value - (values[at] ?? 0)));
  const step = Math.min(...steps.filter((step) => step > 0));
  const largest = Math.max(...values.map(Math.abs));
  if (!Number.isFinite(step)) return values.map(roundedText);
  if (largest < 1e9 && values.every(Number.isInteger)) return values.map((value) => minus(String(value)));
  if (largest >= 1e7 || step < 1e-4) {
    const decimals = Math.min(Math.max(Math.ceil(Math.log10(largest / step)), 1), 12);
    return values.map((value) => (value === 0 ? "0" : powerText(value, decimals)));
  }
  const decimals = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step) - 1e-9)));
  const isExact = values.every((value) => Math.abs(value - Number(value.toFixed(decimals))) < step / 20);
  return values.map((value) => minus(value.toFixed(isExact ? decimals : Math.min(6, decimals + 1))));
}

/** One element of an array with all digits. Other values than numbers are JSON. */
export function valueText(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return String(value);
  if (value === null || value === undefined) return "none";
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Uint8Array) return hexText(value);
  return jsonText(value, 0);
}

/** Maximum number of bytes that are written. */
const MAX_BYTES = 4096;

function hexText(bytes: Uint8Array): string {
  const digits = Array.from(bytes.subarray(0, MAX_BYTES), (byte) => byte.toString(16).padStart(2, "0"));
  return `${digits.join(" ")}${bytes.length > MAX_BYTES ? `… (${bytesText(bytes.length)})` : ""}`;
}

/** JSON text in which bigints have all digits, and NaN and infinities have their names. */
export function jsonText(value: unknown, indent = 2): string {
  const marked = (_key: string, item: unknown) => {
    const isUnknown = typeof item === "bigint" || (typeof item === "number" && !Number.isFinite(item));
    return isUnknown ? `\u0001${item}\u0001` : item;
  };
  const text = JSON.stringify(value, marked, indent) ?? String(value);
  // JSON.stringify writes the marks as escapes in quotes. Both are removed.
  return text.replace(/"\\u0001([^"\\]*)\\u0001"/g, "$1");
}
