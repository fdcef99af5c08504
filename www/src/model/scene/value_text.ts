/** Formats values and units. */
import type { Moment } from "zarr-wasm";
import { minus, raised } from "../text/numbers.js";

/** The printed forms of units in OME and CF, in lower case. */
const UNITS: Record<string, string> = {
  angstrom: "Å",
  nanometer: "nm",
  micrometer: "µm",
  micron: "µm",
  um: "µm",
  // The Greek letter instead of the sign.
  "\u03bcm": "µm",
  millimeter: "mm",
  centimeter: "cm",
  meter: "m",
  kilometer: "km",
  degree_north: "°N",
  degree_east: "°E",
  degree: "°",
  degc: "°C",
  celsius: "°C",
  degree_celsius: "°C",
  nanosecond: "ns",
  microsecond: "µs",
  millisecond: "ms",
  second: "s",
  minute: "min",
  hour: "h",
  day: "d",
  percent: "%",
};

/** Maximum length of a unit. Longer texts are remarks. */
const LONGEST_UNIT = 40;

/**
 * The printed form of a unit: "m s-1" is "m s⁻¹". Empty if it is not a unit, and for counts of
 * time.
 */
export function unitText(unit: unknown): string {
  if (typeof unit !== "string" || unit.length > LONGEST_UNIT || / since /i.test(unit)) return "";
  const own = unit.trim();
  if (own === "1" || own === "none" || own === "unknown") return "";
  const name = own
    .toLowerCase()
    .replace(/met(re|er)s?$/, "meter")
    .replace(/^(degree|angstrom)s/, "$1");
  if (Object.hasOwn(UNITS, name)) return UNITS[name] ?? own;
  return own.replace(/(?<=[A-Za-z])\^?\*{0,2}(-?[0-9])(?![0-9A-Za-z])/g, (_, power: string) => raised(power));
}

/** The significant digits of a data type. */
const DIGITS: Record<string, number> = { float16: 3, bfloat16: 3, float32: 6 };

/** A value with the digits of its data type. */
export function valueText(value: number | bigint | boolean, dtype: string): string {
  if (typeof value !== "number") return minus(String(value));
  if (Number.isNaN(value)) return "no data";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return minus(String(value));
  const rounded = Number(value.toPrecision(DIGITS[dtype] ?? 10));
  return minus(String(rounded));
}

/** A coordinate with the digits that distinguish neighbours, and at most one more. */
export function coordinateText(value: number, step: number): string {
  if (!Number.isFinite(value)) return "";
  const decimals =
    step > 0 && Number.isFinite(step) ? Math.min(Math.max(Math.ceil(-Math.log10(step)) + 1, 0), 12) : 6;
  return minus(String(Number(value.toFixed(decimals))));
}

/** A number and its unit, without a space before degrees. */
export function withUnit(text: string, unit: string): string {
  if (unit === "") return text;
  return /^[°%]/.test(unit) && unit !== "°C" ? `${text}${unit}` : `${text} ${unit}`;
}

const two = (value: number) => String(value).padStart(2, "0");

/** A date, with the time if it is not midnight, and milliseconds if there are any. */
export function momentText({ year, month, day, hour, minute, second, nanosecond }: Moment): string {
  const date = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
  const milliseconds = Math.floor(nanosecond / 1e6);
  if (hour === 0 && minute === 0 && second === 0 && milliseconds === 0) return date;
  const fraction = milliseconds === 0 ? "" : `.${String(milliseconds).padStart(3, "0")}`;
  const seconds = second === 0 && fraction === "" ? "" : `:${two(second)}${fraction}`;
  return `${date} ${two(hour)}:${two(minute)}${seconds}`;
}
