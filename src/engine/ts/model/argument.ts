/**
 * Checks of what callers pass to the public calls. A wrong argument is an `Argument` error that
 * names it. Members of options are checked by `optionsOf`, other values inside of an argument where
 * they are used. The first download holds this file, so its texts are short.
 */
import { shown, ZarrError } from "./errors.ts";
import { shownAddress } from "./secrets.ts";
import type { RangeQuery } from "./types.ts";

/**
 * Throws an `Argument` error unless an argument is what the call needs. `found`: it, unless it may
 * be a secret.
 */
export function need(
  isRight: unknown,
  field: string,
  expected = "an object",
  ...found: [unknown?]
): asserts isRight {
  if (isRight) return;
  const actual = found.length > 0 ? foundText(found[0]) : undefined;
  throw new ZarrError("Argument", `${field} must be ${expected}`, { field, expected, actual });
}

/** Throws an `Argument` error for an option or an argument, with what it must be. */
export const refuseField = (field: string, expected: string, found: unknown): never =>
  need(false, field, expected, found) as never;

/** Throws an `Argument` error with what was expected and what was found. */
export function refuse(message: string, expected: string, actual: unknown): never {
  throw new ZarrError("Argument", message, { expected, actual: foundText(actual) });
}

/** What was found, as an error tells it. Lists and texts may be long. */
function foundText(value: unknown): string {
  if (!isReadable(value)) return typeof value;
  const isLong = (Array.isArray(value) || ArrayBuffer.isView(value)) && (value as unknown[]).length > 20;
  const text = isLong ? `${shown((value as unknown[]).slice(0, 20))}, …` : shown(value).slice(0, 200);
  return text || "nothing";
}

/** Throws an `Argument` error unless the caller's memory has the length of the result, in bytes. */
export function needOut({ byteLength }: ArrayBufferView, expected: number): void {
  if (byteLength === expected) return;
  refuse("`out` is not as long as the result", `${expected} bytes`, `${byteLength} bytes`);
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
  need(isObject(value) && isReadable(value), name, undefined, value);
  return value;
}

/** Whether a value is of a class, which the environment may lack. */
export function isA(value: object, name: string): boolean {
  const known = (globalThis as Record<string, unknown>)[name];
  return isFunction(known) && value instanceof known;
}

const isText = (value: unknown) => typeof value === "string";
const isFunction = (value: unknown): value is () => void => typeof value === "function";
const isObject = (value: unknown): value is object => Object(value) === value;

/** What a member of options may be, and its test. Null stands for no signal and no function. */
const TESTS = {
  "a text": isText,
  "a function": (value: unknown) => value === null || isFunction(value),
  // Without unpaired surrogates, which have no UTF-8 form.
  "a text of Unicode": (value: unknown) => isText(value) && !/\p{Surrogate}/u.test(value as string),
  "a boolean": (value: unknown) => typeof value === "boolean",
  "an object": isObject,
  "a number": (value: unknown) => typeof value === "number" && !Number.isNaN(value),
  "a list": (value: unknown): boolean => Array.isArray(value) || ArrayBuffer.isView(value),
  "a list of numbers": (value: unknown) =>
    TESTS["a list"](value) && Array.from(value as number[]).every((entry) => typeof entry === "number"),
  "a typed array": (value: unknown): boolean => value === null || ArrayBuffer.isView(value),
  "a URL": (value: unknown) => isText(Object(value).href ?? value),
  "an AbortSignal": (value: unknown) => value === null || isFunction(Object(value).throwIfAborted),
  // `fetch` has a priority of its own.
  "a priority": (value: unknown) => value === null || isText(value) || Number.isFinite(value),
  null: (value: unknown) => value === null,
  // Checked where it is used.
  anything: () => true,
};

type Kind = keyof typeof TESTS;

/** What a member of options must be: some of `TESTS`, one of some values, or options again. */
type Rule = Kind | `${Kind} or ${Kind}` | `${Kind}, ${Kind} or ${Kind}` | readonly unknown[] | RuleTable;

/** What each member of options must be. */
export interface RuleTable {
  readonly [member: string]: Rule;
}

/** The table for options of a type: the compiler holds it to be whole. */
export type Rules<Options> = {
  readonly [Member in Options extends unknown ? keyof Options & string : never]: Rule;
};

/** The options that almost all calls have. */
export const SIGNAL: Rules<{ signal?: AbortSignal }> = { signal: "an AbortSignal" };

/**
 * Whether so many letters to add, leave out or replace make one text of another: two of
 * `memory_order` make `memoryOrder`.
 */
function isNear(one: string, other: string, left: number): boolean {
  const [rest, others] = [one.slice(1), other.slice(1)];
  if (one && one[0] === other[0]) return isNear(rest, others, left);
  if (one === other || left === 0) return one === other;
  return isNear(rest, other, left - 1) || isNear(one, others, left - 1) || isNear(rest, others, left - 1);
}

/** The one of the known names that was meant by another; undefined if none is near. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const most = name.length > 40 ? -1 : Math.min(3, Math.floor(name.length / 3));
  for (let left = 0; left <= most; left += 1) {
    const found = known.find((each) => isNear(name, each, left));
    if (found) return found;
  }
  return undefined;
}

/** Throws an `Argument` error for an option that does not exist. */
function refuseUnknown(field: string, known: readonly string[], nearest?: string): never {
  const expected = nearest ?? known.join(", ");
  const meant = nearest ? `: did you mean ${nearest}?` : "";
  throw new ZarrError("Argument", `there is no option ${field}${meant}`, { field, expected });
}

/** Throws an `Argument` error that names a member which is not what it must be. */
function needMember(value: unknown, rule: Rule, field: string): void {
  if (typeof rule === "string") {
    const kinds = rule.split(/, | or /) as Kind[];
    need(
      kinds.some((kind) => TESTS[kind](value)),
      field,
      rule,
      value,
    );
    return;
  }
  const isList = Array.isArray(rule);
  const inner = (isList ? rule.find(isObject) : rule) as RuleTable | undefined;
  if (inner && isObject(value)) {
    optionsOf(value, inner, field, undefined, `${field}.`);
    return;
  }
  const legal = isList
    ? rule.map((one) => (isObject(one) ? "an object" : JSON.stringify(one)))
    : ["an object"];
  need(isList && rule.includes(value), field, legal.join(", ").replace(/, ([^,]*)$/, " or $1"), value);
}

/**
 * Returns options. Throws an `Argument` error that names a member which does not exist, or is not
 * what it must be. Members that do not exist may belong to others: to the caller's store
 * (`"the store's"`: a name that was misspelt is refused), or to who knows (`"anyone's"`).
 */
export function optionsOf<T>(
  value: T,
  rules: RuleTable,
  name = "options",
  others?: "the store's" | "anyone's",
  prefix = "",
): T {
  object(value, name);
  for (const [member, given] of Object.entries(value as object)) {
    if (given === undefined) continue;
    const field = prefix + member;
    const rule = Object.hasOwn(rules, member) ? rules[member] : undefined;
    if (rule === undefined && others !== "anyone's") {
      const known = Object.keys(rules);
      const nearest = nearestName(member, known);
      if (!others || nearest !== undefined) refuseUnknown(field, known, nearest);
    }
    needReadable(given, field);
    if (rule !== undefined) needMember(given, rule, field);
  }
  return value;
}

/** The signal in options that have nothing else. It needs no rules, which workers lack. */
export function signalOf(options: { signal?: AbortSignal | null }): AbortSignal | undefined {
  const { signal } = object(options, "options");
  needReadable(signal, "signal");
  need(signal === undefined || TESTS["an AbortSignal"](signal), "signal", "an AbortSignal", signal);
  return signal ?? undefined;
}

/** Throws an `Argument` error unless an argument is a text. */
export const needText = (value: unknown, name: string): void => need(isText(value), name, "a text", value);

/** Throws an `Argument` error unless an argument is a list or a typed array. */
export const needList = (value: unknown, name: string): void =>
  need(isReadable(value) && TESTS["a list"](value), name, "a list", value);

/** Throws an `Argument` error unless an argument is a function. */
export const needFunction = (value: unknown, name: string): void =>
  need(isFunction(value), name, "a function", value);

/** Throws an `Argument` error unless an argument is bytes. */
export const needBytes = (value: unknown, name: string): void =>
  need(ArrayBuffer.isView(value) && Object(value).BYTES_PER_ELEMENT === 1, name, "a Uint8Array", value);

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
    throw new ZarrError("Argument", `${shownAddress(shown(url))} is not a URL`, { field, cause });
  }
}

/** Throws an `Argument` error unless an argument is a text or a `URL`. */
export const needUrl = (value: unknown, name = "url"): void =>
  need(isReadable(value) && TESTS["a URL"](value), name, "a URL", value);

/** Throws an `Argument` error unless an argument is a byte range. */
export function needRange(range: RangeQuery): void {
  const fields = "suffixLength" in object(range, "range") ? ["suffixLength"] : ["offset", "length"];
  for (const field of fields) {
    const value = (range as Record<string, number>)[field] as number;
    need(Number.isSafeInteger(value) && value >= 0, field, "a number of bytes", value);
  }
}

/** The start and the end of a range in a value of this size. Node ends at parts beyond a `Blob`. */
export function boundsIn(size: number, range: RangeQuery): [start: number, end: number] {
  needRange(range);
  if ("suffixLength" in range) return [Math.max(0, size - range.suffixLength), size];
  const start = Math.min(range.offset, size);
  return [start, Math.min(size, start + range.length)];
}
