/**
 * Listings of users' stores as plain lists of keys, which the engine gets. It is lazy code, because
 * few pages list a store of their own.
 */
import { ZarrError } from "../model/errors.ts";
import { LISTED_KEYS } from "../model/limits.ts";
import { isObject } from "./answers.ts";

/** Number of keys between two pauses. */
const KEYS_BETWEEN = 2 ** 14;

/** A key of a listing. What is no text is refused by the engine. */
const keyOf = (key: unknown) => (typeof key === "string" ? key : {});

function needFew(count: number): void {
  if (count <= LISTED_KEYS) return;
  throw new ZarrError("Limit", "the store's listing is too large", {
    expected: `at most ${LISTED_KEYS} keys`,
    actual: "more",
  });
}

/**
 * Collects the keys of an array, an iterable or an async iterable. Any other value is refused by
 * the engine.
 */
async function collected(listed: unknown, left: AbortSignal): Promise<unknown> {
  const value = (await listed) as AsyncIterable<unknown> | Iterable<unknown> | null | undefined;
  if (!isObject(value) || value === null || value === undefined) return value;
  if (Array.isArray(value)) {
    needFew(value.length);
    return Array.from(value, keyOf);
  }
  if (!(Symbol.asyncIterator in value) && !(Symbol.iterator in value)) return {};
  const keys: unknown[] = [];
  for await (const key of value) {
    needFew(keys.push(keyOf(key)));
    left.throwIfAborted();
    // A task of its own, in which the caller may abort.
    if (keys.length % KEYS_BETWEEN === 0) await new Promise((done) => setTimeout(done));
  }
  return keys;
}

/** What a method that lists returns, in plain lists. That of `listDir` has two. */
export async function collectedOf(method: string, listed: unknown, left: AbortSignal): Promise<unknown> {
  if (method !== "listDir") return collected(listed, left);
  const { keys, prefixes } = ((await listed) ?? {}) as { keys?: unknown; prefixes?: unknown };
  return { keys: await collected(keys, left), prefixes: await collected(prefixes, left) };
}
