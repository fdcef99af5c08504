/**
 * Checks of what callers pass to the public calls. A wrong argument is an `Argument` error that
 * names it. Members of options are checked by `optionsOf`, other values inside of an argument where
 * they are used. The first download holds this file, so its texts are short.
 */
import { shown, ZarrError } from "./errors.ts";
import type { RangeQuery } from "./types.ts";

/**
 * Throws an `Argument` error unless an argument is what the call needs. `found`: it, if the error
 * is to tell it.
 */
export function need(
  isRight: unknown,
  field: string,
  expected = "an object",
  ...found: [unknown?]
): asserts isRight {
  if (isRight) return;
  const actual = found.length > 0 ? shown(found[0]) : undefined;
  throw new ZarrError("Argument", `${field} must be ${expected}`, { field, expected, actual });
}

/** Throws an `Argument` error with what was expected and what was found. */
export function refuse(message: string, expected: string, actual: unknown): never {
  throw new ZarrError("Argument", message, { expected, actual: shown(actual) });
}

/** Throws an `Argument` error unless the caller's memory has the length of the result, in bytes. */
export function needOut({ byteLength }: ArrayBufferView, expected: number): void {
  if (byteLength === expected) return;
  refuse("`out` does not have the length of the result", `${expected} bytes`, `${byteLength} bytes`);
}

/** Whether a value can be read at all. A revoked proxy cannot. */
export function isReadable(value: unknown): boolean {
  try {
    return !Array.isArray(value) || value.length >= 0;
  } catch {
    return false;
  }
}

/** Throws an `Argument` error for an argument that cannot be read. */
export const needReadable = (value: unknown, name: string): void =>
  need(isReadable(value), name, "readable", typeof value);

/** Returns an argument that must be an object, such as attributes. */
export function object<T>(value: T, name: string): T {
  need(Object(value) === value && isReadable(value), name, undefined, value);
  return value;
}

/** Whether a value is of a class, which the environment may lack. */
export function isA(value: object, name: string): boolean {
  const known = (globalThis as Record<string, unknown>)[name];
  return isFunction(known) && value instanceof known;
}

const isText = (value: unknown) => typeof value === "string";
const isFunction = (value: unknown): value is () => void => typeof value === "function";

const isSignal = (value: unknown) => value === null || isFunction(Object(value).throwIfAborted);

/** What a member of options may be, and its test. Null stands for no signal and no function. */
const TESTS: Record<string, (value: unknown) => unknown> = {
  "a text": isText,
  "a function": (value) => value === null || isFunction(value),
  // Without unpaired surrogates, which have no UTF-8 form.
  "a text of Unicode": (value) => isText(value) && !/\p{Surrogate}/u.test(value as string),
  "a boolean": (value) => typeof value === "boolean",
  "an object": (value) => Object(value) === value,
  "a number": (value) => typeof value === "number" && !Number.isNaN(value),
  "a number or a text": (value) => isText(value) || TESTS["a number"]?.(value),
  "a list": (value) => Array.isArray(value) || ArrayBuffer.isView(value),
  "a list of numbers": (value) =>
    TESTS["a list"]?.(value) && Array.from(value as number[]).every((entry) => typeof entry === "number"),
  "an AbortSignal": isSignal,
  // `fetch` has a priority of its own.
  "a priority": (value) => value === null || isText(value) || Number.isFinite(value),
};

/** The members of options: what each must be (`TESTS`), or its legal texts. */
export type Rules = Record<string, string | readonly string[]>;

/** The rules of members that all options share. */
const SHARED: Rules = {
  signal: "an AbortSignal",
  onProgress: "a function",
  priority: "a priority",
  path: "a text",
};

/** Returns options. Throws an `Argument` error that names a member which is not what it must be. */
export function optionsOf<T>(value: T, rules: Rules = {}, name = "options"): T {
  object(value, name);
  for (const [field, member] of Object.entries(value as object)) {
    if (member === undefined) continue;
    needReadable(member, field);
    const rule = rules[field] ?? SHARED[field];
    if (!rule) continue;
    const isOne = typeof rule !== "string";
    need(
      isOne ? rule.includes(member) : TESTS[rule]?.(member),
      field,
      isOne ? rule.map((text) => `"${text}"`).join(" or ") : rule,
      member,
    );
  }
  return value;
}

/** The signal in options that have nothing else. It needs no rules, which workers lack. */
export function signalOf(options: { signal?: AbortSignal | null }): AbortSignal | undefined {
  const { signal } = object(options, "options");
  needReadable(signal, "signal");
  need(signal === undefined || isSignal(signal), "signal", "an AbortSignal");
  return signal ?? undefined;
}

/** Throws an `Argument` error unless an argument is a text. */
export const needText = (value: unknown, name: string): void => need(isText(value), name, "a text");

/** Throws an `Argument` error unless an argument is a list or a typed array. */
export const needList = (value: unknown, name: string): void =>
  need(isReadable(value) && TESTS["a list"]?.(value), name, "a list", value);

/** Throws an `Argument` error unless an argument is a function. */
export const needFunction = (value: unknown, name: string): void =>
  need(isFunction(value), name, "a function", value);

/** Throws an `Argument` error unless an argument is bytes. */
export const needBytes = (value: unknown, name: string): void =>
  need(ArrayBuffer.isView(value) && Object(value).BYTES_PER_ELEMENT === 1, name, "a Uint8Array");

/** The address of the page, or of the worker. Undefined elsewhere, as in Node. */
export const pageUrl = (): string | undefined =>
  (globalThis as { location?: { href: string } }).location?.href;

/**
 * Parses an address. A relative one is resolved against the page's. Throws an `Argument` error for
 * what is not an address.
 */
export function parsedUrl(url: unknown, field = "url"): URL {
  try {
    return new URL(url as string, pageUrl());
  } catch (cause) {
    throw new ZarrError("Argument", `${shown(url)} is not a URL`, { field, cause });
  }
}

/** Throws an `Argument` error unless an argument is a text or a `URL`. */
export const needUrl = (value: unknown, name = "url"): void =>
  need(isReadable(value) && isText(Object(value).href ?? value), name, "a URL");

/** Throws an `Argument` error unless an argument is a byte range. */
export function needRange(range: RangeQuery): void {
  const fields = "suffixLength" in object(range, "range") ? ["suffixLength"] : ["offset", "length"];
  for (const field of fields) {
    const value = (range as Record<string, number>)[field] as number;
    need(Number.isSafeInteger(value) && value >= 0, field, "a number of bytes");
  }
}

/** The start and the end of a range in a value of this size. Node ends at parts beyond a `Blob`. */
export function placesIn(size: number, range: RangeQuery): [start: number, end: number] {
  needRange(range);
  if ("suffixLength" in range) return [Math.max(0, size - range.suffixLength), size];
  const start = Math.min(range.offset, size);
  return [start, Math.min(size, start + range.length)];
}
