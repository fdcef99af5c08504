/**
 * Performs on the page what the engine asks: calls of a user's store, of a custom `fetch`, of
 * codecs that are functions. Bytes of a user's are copied on the way to a worker, never
 * transferred: that would empty the user's own arrays.
 */

import type { Objects } from "./objects.ts";
import type { Ask } from "./protocol.ts";

interface Circumstances {
  /** The signal of the call that the engine works on: the very object that the caller passed. */
  signal: AbortSignal | undefined;
  /** Aborts when the engine gives up what it asked. */
  left: AbortSignal;
  isLocal: boolean;
}

/** What the page answers. */
export interface Performed {
  value: unknown;
  transfer: ArrayBuffer[];
  /** Bytes of the whole value that a range was read from, where the store tells. */
  size?: number;
}

/** The name of the property that tells the size of a file with a range of it (`files/file.ts`). */
const SIZE = Symbol.for("zarr-wasm.size");

type Methods = Record<string, (...args: unknown[]) => unknown>;

/** Copies bytes for a worker; a view of a larger buffer alone. */
function crossing(value: unknown, isLocal: boolean): Performed {
  if (isLocal || !(ArrayBuffer.isView(value) || value instanceof ArrayBuffer)) return { value, transfer: [] };
  const bytes =
    value instanceof ArrayBuffer
      ? new Uint8Array(value)
      : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  const copy = new Uint8Array(bytes.byteLength);
  copy.set(bytes);
  const size = (value as { [SIZE]?: number })[SIZE];
  return { value: copy, transfer: [copy.buffer], ...(size !== undefined && { size }) };
}

/**
 * All keys of an array, an iterable or an async iterable; anything else as it is, for the engine to
 * refuse.
 */
async function collected(listed: unknown): Promise<unknown> {
  const value = await listed;
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  if (!(Symbol.asyncIterator in value) && !(Symbol.iterator in value)) return {};
  const keys: unknown[] = [];
  for await (const key of value as AsyncIterable<unknown>) keys.push(key);
  return keys;
}

async function collectedDirectory(listed: unknown): Promise<unknown> {
  const { keys, prefixes } = ((await listed) ?? {}) as { keys?: unknown; prefixes?: unknown };
  return { keys: await collected(keys), prefixes: await collected(prefixes) };
}

/**
 * Calls a method of a user's store just as zarrita would: the caller's own signal in the last
 * argument.
 */
function callStore(store: object, { method, args }: Ask, signal: AbortSignal | undefined): unknown {
  const methods = store as unknown as Methods;
  switch (method) {
    case "get":
    case "getRange":
    case "size":
      return methods[method]?.(...args, { signal });
    case "list":
    case "keys":
      return collected(methods[method]?.(...args));
    case "listDir":
      return collectedDirectory(methods[method]?.(...args));
    default:
      return methods[method]?.(...args);
  }
}

/** What the engine asked for, with the buffers to transfer. */
export function perform(
  objects: Objects,
  ask: Ask,
  { signal, left, isLocal }: Circumstances,
): Performed | Promise<Performed> {
  const target = objects.target(ask.target);
  if (typeof target === "function") {
    const made = (target as (...args: unknown[]) => unknown)(...ask.args, left);
    const performed = (value: unknown): Performed =>
      isTransferring(value)
        ? { value: value.value, transfer: isLocal ? [] : value.transfer }
        : { value, transfer: [] };
    return made instanceof Promise ? made.then(performed) : performed(made);
  }
  const value = callStore(target, ask, signal);
  return isPromiseLike(value)
    ? Promise.resolve(value).then((settled) => crossing(settled, isLocal))
    : crossing(value, isLocal);
}

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";

/** The answer of a callback, with buffers that are its own. */
export class Transferring {
  readonly value: unknown;
  readonly transfer: ArrayBuffer[];

  constructor(value: unknown, transfer: ArrayBuffer[]) {
    this.value = value;
    this.transfer = transfer;
  }
}

const isTransferring = (value: unknown): value is Transferring => value instanceof Transferring;
