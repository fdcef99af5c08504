/** Numbers as people read them: byte counts, values, shapes. Nothing here is parsed back. */

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

/** A value of a scale, rounded to what its place on the scale can tell: about four significant digits. */
export function roundedText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e7) return String(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) return value.toExponential(3);
  return String(Number(value.toPrecision(5)));
}

/** One element of an array, in full; anything that is not a number as JSON. */
export function valueText(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return String(value);
  if (value === null || value === undefined) return "none";
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Uint8Array)
    return Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return jsonText(value, 0);
}

/** JSON of values that JSON lacks too: integers beyond 2^53 in full, and the non-finite numbers by name. */
export function jsonText(value: unknown, indent = 2): string {
  const spelled = (_key: string, item: unknown) => {
    if (typeof item === "bigint") return item.toString();
    if (typeof item === "number" && !Number.isFinite(item)) return String(item);
    return item;
  };
  return JSON.stringify(value, spelled, indent) ?? String(value);
}
