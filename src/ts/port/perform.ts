/**
 * Performs on the page what the engine asks: calls of a user's store, of a custom `fetch` and of
 * codecs that are functions. The user's bytes are copied on the way to a worker, because a transfer
 * would detach the user's own arrays.
 */

import { ZarrError } from "../model/errors.ts";
import { LISTED_KEYS } from "../model/limits.ts";
import { viewBytes } from "../model/memory.ts";
import type { Objects } from "./objects.ts";
import { STORE_METHODS } from "./page_stores.ts";
import type { Ask } from "./protocol.ts";

interface Circumstances {
  /** The signal of the engine's call: the same object that the caller passed. */
  signal: AbortSignal | undefined;
  /** The caller's other options for a user's store. */
  storeOptions: object | undefined;
  /** Aborts when the engine no longer needs the answer. */
  left: AbortSignal;
  isLocal: boolean;
}

/** The page's answer, and the buffers to transfer with it. */
export interface Performed {
  value: unknown;
  transfer: ArrayBuffer[];
  /** Size in bytes of the whole value from which a range was read, if the store reports it. */
  size?: number;
  /** The version of that value, if the store reports it. */
  version?: string;
}

/**
 * The properties in which a store reports the size and the version of a file with a range of it
 * (`files/reading.ts`).
 */
const SIZE = Symbol.for("zarr-wasm.size");
const VERSION = Symbol.for("zarr-wasm.version");

/** Number of keys between two pauses. */
const KEYS_BETWEEN = 2 ** 14;

type Methods = Record<string, (...args: unknown[]) => unknown>;

/** Copies bytes for a worker. Of a view, only the viewed part is copied. */
function crossing(value: unknown, isLocal: boolean): Performed {
  if (isLocal || !(ArrayBuffer.isView(value) || value instanceof ArrayBuffer)) return { value, transfer: [] };
  const bytes = value instanceof ArrayBuffer ? new Uint8Array(value) : viewBytes(value);
  const copy = new Uint8Array(bytes.byteLength);
  copy.set(bytes);
  const { [SIZE]: size, [VERSION]: version } = value as { [SIZE]?: number; [VERSION]?: string };
  const state = { ...(size !== undefined && { size }), ...(version !== undefined && { version }) };
  return { value: copy, transfer: [copy.buffer], ...state };
}

/**
 * Collects the keys of an array, an iterable or an async iterable. Any other value is returned as
 * it is, and the engine refuses it.
 */
async function collected(listed: unknown, left: AbortSignal): Promise<unknown> {
  const value = await listed;
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  if (!(Symbol.asyncIterator in value) && !(Symbol.iterator in value)) return {};
  const keys: unknown[] = [];
  for await (const key of value as AsyncIterable<unknown>) {
    if (keys.push(key) > LISTED_KEYS) {
      throw new ZarrError("Limit", "the store's listing is too large", {
        expected: `at most ${LISTED_KEYS} keys`,
        actual: "more",
      });
    }
    left.throwIfAborted();
    // A task of its own, in which the caller may abort.
    if (keys.length % KEYS_BETWEEN === 0) await new Promise((done) => setTimeout(done));
  }
  return keys;
}

async function collectedDirectory(listed: unknown, left: AbortSignal): Promise<unknown> {
  const { keys, prefixes } = ((await listed) ?? {}) as { keys?: unknown; prefixes?: unknown };
  return { keys: await collected(keys, left), prefixes: await collected(prefixes, left) };
}

/**
 * Calls a method of a user's store as zarrita does: the caller's own signal and options are in the
 * last argument.
 */
function callStore(store: object, { method, args }: Ask, options: object, left: AbortSignal): unknown {
  const methods = store as Methods;
  const use = STORE_METHODS[method];
  if (use === "reads") return methods[method]?.(...args, options);
  const answer = methods[method]?.(...args);
  if (use !== "lists") return answer;
  return method === "listDir" ? collectedDirectory(answer, left) : collected(answer, left);
}

/** Performs one request of the engine. Stays synchronous if the user's code is. */
export function perform(
  objects: Objects,
  ask: Ask,
  { signal, storeOptions, left, isLocal }: Circumstances,
): Performed | Promise<Performed> {
  const target = objects.target(ask.target);
  if (typeof target === "function") {
    const made = (target as (...args: unknown[]) => unknown)(...ask.args, left);
    const performed = (value: unknown): Performed =>
      value instanceof Transferring
        ? { value: value.value, transfer: isLocal ? [] : value.transfer }
        : { value, transfer: [] };
    return made instanceof Promise ? made.then(performed) : performed(made);
  }
  const value = callStore(target, ask, { ...storeOptions, signal }, left);
  return isPromiseLike(value)
    ? Promise.resolve(value).then((settled) => crossing(settled, isLocal))
    : crossing(value, isLocal);
}

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";

/** The answer of a callback with buffers that may be transferred. */
export class Transferring {
  readonly value: unknown;
  readonly transfer: ArrayBuffer[];

  constructor(value: unknown, transfer: ArrayBuffer[]) {
    this.value = value;
    this.transfer = transfer;
  }
}
