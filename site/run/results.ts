/**
 * What a result looks like on the page: text, a picture of two-dimensional numbers, or a table. It
 * knows the results of this package by their members. Everything here can be posted.
 */

/** A picture: rows of bytes, from the lowest value (0) to the highest (254); 255 is missing. */
export interface Picture {
  width: number;
  height: number;
  pixels: Uint8Array;
  low: number;
  high: number;
}

export type Shown =
  | { kind: "text"; text: string }
  | { kind: "picture"; text: string; picture: Picture }
  | { kind: "table"; columns: string[]; rows: string[][] };

const MAX_ITEMS = 8;
const MAX_TEXT = 400;
const MAX_SIDE = 360;
const MISSING = 255;
/** Smaller results are shown as numbers. */
const MIN_SIDE = 12;

type Numbers = ArrayLike<number>;

const isNumbers = (value: unknown): value is Numbers =>
  ArrayBuffer.isView(value) && !(value instanceof DataView) && !/^Big/.test(value.constructor.name);

const cut = (text: string) => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

const numberText = (value: number) =>
  Number.isInteger(value) || !Number.isFinite(value) ? String(value) : String(Number(value.toPrecision(7)));

/** A typed array with its class and length, as the documentation writes it. */
function elementsText(value: ArrayLike<number | bigint>): string {
  const items = Array.from({ length: Math.min(value.length, MAX_ITEMS) }, (_, at) => {
    const item = value[at] as number | bigint;
    return typeof item === "bigint" ? `${item}n` : numberText(item);
  });
  const more = value.length > MAX_ITEMS ? ", …" : "";
  return `${value.constructor.name}(${value.length}) [${items.join(", ")}${more}]`;
}

/** Arrays and groups of the package, by what they have. */
function nodeText(value: object): string | undefined {
  const node = value as { kind?: unknown; path?: unknown; shape?: unknown; dtype?: unknown };
  if (typeof node.path !== "string" || (node.kind !== "array" && node.kind !== "group")) return undefined;
  const path = node.path === "" ? "/" : node.path;
  if (node.kind === "group") return `Group ${path}`;
  return `Array ${path}: ${String(node.dtype)} [${(node.shape as number[]).join(", ")}]`;
}

function listText(value: readonly unknown[], depth: number): string {
  const items = value.slice(0, MAX_ITEMS * 2).map((item) => textOf(item, depth + 1));
  return `[${items.join(", ")}${value.length > items.length ? ", …" : ""}]`;
}

const isPlain = (value: object) =>
  [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);

function objectText(value: object, depth: number): string {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (!isPlain(value)) return nodeText(value) ?? value.constructor?.name ?? "object";
  if (depth > 2) return "{…}";
  const entries = Object.entries(value).slice(0, MAX_ITEMS * 2);
  const parts = entries.map(([name, item]) => `${name}: ${textOf(item, depth + 1)}`);
  return parts.length > 0 ? `{ ${parts.join(", ")} }` : "{}";
}

/** A value as text. */
export function textOf(value: unknown, depth = 0): string {
  if (typeof value === "string") return depth > 0 ? JSON.stringify(cut(value)) : cut(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "number") return numberText(value);
  if (typeof value === "function") return "function";
  if (typeof value !== "object" || value === null) return String(value);
  if (ArrayBuffer.isView(value) && "length" in value)
    return elementsText(value as unknown as ArrayLike<number>);
  return cut(Array.isArray(value) ? listText(value, depth) : objectText(value, depth));
}

/** The lowest and the highest number. */
function rangeOf(data: Numbers): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < data.length; at += 1) {
    const value = Number(data[at]);
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/** A picture of the last two dimensions of a result, at most 360 pixels wide and high. */
function pictureOf(data: Numbers, shape: readonly number[]): Picture | undefined {
  const [rows = 0, columns = 0] = shape.slice(-2);
  if (shape.length < 2 || Math.min(rows, columns) < MIN_SIDE) return undefined;
  const step = Math.max(1, Math.ceil(Math.max(rows, columns) / MAX_SIDE));
  const [height, width] = [Math.ceil(rows / step), Math.ceil(columns / step)];
  const [low, high] = rangeOf(data);
  const pixels = new Uint8Array(width * height).fill(MISSING);
  const scale = high > low ? (MISSING - 1) / (high - low) : 0;
  for (let at = 0; at < pixels.length; at += 1) {
    const [row, column] = [Math.floor(at / width) * step, (at % width) * step];
    const value = Number(data[row * columns + column]);
    if (Number.isFinite(value)) pixels[at] = Math.round((value - low) * scale);
  }
  return { width, height, pixels, low, high };
}

/** A list of flat objects as a table. */
function tableOf(list: readonly unknown[]): Shown | undefined {
  const isRow = (item: unknown) => typeof item === "object" && item !== null && isPlain(item);
  if (list.length < 2 || !list.every(isRow)) return undefined;
  const columns = Object.keys(list[0] as object);
  if (columns.length < 2 || columns.length > MAX_ITEMS) return undefined;
  const rows = list
    .slice(0, 50)
    .map((item) => columns.map((name) => textOf((item as Record<string, unknown>)[name], 1)));
  return { kind: "table", columns, rows };
}

/** How a value is shown. */
export function shownOf(value: unknown): Shown {
  if (Array.isArray(value)) return tableOf(value) ?? { kind: "text", text: textOf(value) };
  const { data, shape } = (value ?? {}) as { data?: unknown; shape?: readonly number[] };
  const picture = Array.isArray(shape) && isNumbers(data) ? pictureOf(data, shape) : undefined;
  const text = textOf(value);
  return picture ? { kind: "picture", text, picture } : { kind: "text", text };
}

/** Whether a declared value says something: elements of the page and results of libraries do not. */
export function isTelling(value: unknown): boolean {
  if (typeof value === "function" || value === undefined) return false;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return true;
  return isPlain(value) || ArrayBuffer.isView(value) || nodeText(value) !== undefined;
}
