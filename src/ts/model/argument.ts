/**
 * Checks of what callers pass to the public calls. A wrong argument is an `Argument` error that
 * names it. Values inside of an argument are checked where they are used. The first download holds
 * this file, so its texts are short.
 */
import { ZarrError } from "./errors.ts";

/** Throws an `Argument` error unless an argument is what the call needs. */
export function need(isRight: unknown, field: string, expected = "an object"): asserts isRight {
  if (!isRight) throw new ZarrError("Argument", `${field} must be ${expected}`, { field, expected });
}

/** Returns an argument that must be an object, such as options. */
export function object<T>(value: T, name = "options"): T {
  need(Object(value) === value, name);
  return value;
}

/** Throws an `Argument` error unless an argument is a text. */
export const needText = (value: unknown, name: string): void =>
  need(typeof value === "string", name, "a text");

/** Throws an `Argument` error unless an argument is a list or a typed array. */
export const needList = (value: unknown, name: string): void =>
  need(Array.isArray(value) || ArrayBuffer.isView(value), name, "a list");

/** Throws an `Argument` error unless an argument is a function. */
export const needFunction = (value: unknown, name: string): void =>
  need(typeof value === "function", name, "a function");

/** Parses an address. Throws an `Argument` error for what is not an address. */
export function parsedUrl(url: unknown, base?: string): URL {
  try {
    return new URL(url as string, base);
  } catch (cause) {
    throw new ZarrError("Argument", "not a URL", { field: "url", cause });
  }
}

/** Throws an `Argument` error unless an argument is a text or a `URL`. */
export const needUrl = (value: unknown, name = "url"): void =>
  need(typeof (Object(value).href ?? value) === "string", name, "a URL");
