/**
 * The base class of stores that the engine implements: each method calls the engine. Any other
 * object with zarrita's interface, such as a `Map`, is a user's store, which the engine calls as
 * zarrita does.
 */

import type { Listed } from "../../engine/ts/files/folder_store.ts";
import { needBytes, needRange, needText, object, signalOf } from "../../engine/ts/model/argument.ts";
import { findable, worksBehindProxies } from "../../engine/ts/model/proxies.ts";
import type {
  AbsolutePath,
  AsyncReadable,
  RangeQuery,
  StoreGetOptions,
} from "../../engine/ts/model/types.ts";
import {
  type ObjectIds,
  STORE_METHODS,
  type StoreDefinition,
  setDefiner,
} from "../../engine/ts/port/definitions.ts";
import { call, write } from "../../engine/ts/port/engine.ts";

/** The key of the method that makes a store whose requests have more options. */
export const REQUESTING: unique symbol = Symbol("zarr-wasm.requesting");

/** A store over HTTP. `options` is a `RequestInit`. Undefined if it has no effect. */
export interface RequestingStore {
  [REQUESTING]?(options: object): AsyncReadable | undefined;
}

/**
 * Who takes the options of a read that this package does not have: the user's store, or the
 * requests over HTTP. Undefined for stores that take none.
 */
export const othersOf = (store: unknown) =>
  REQUESTING in Object(store) || !(store instanceof NativeStore || store instanceof Map)
    ? ("the store's" as const)
    : undefined;

/** Prototypes of the classes whose methods the engine implements. */
const OURS = new WeakSet<object>();

/** Registers a class whose methods do exactly what the engine does. */
export function isOurs(of: { prototype: NativeStore }): void {
  OURS.add(of.prototype);
}

/** The nearest registered prototype of a store. */
function nativeMethods(store: object): object {
  let prototype = Object.getPrototypeOf(store);
  while (prototype && !OURS.has(prototype)) prototype = Object.getPrototypeOf(prototype);
  return prototype ?? NativeStore.prototype;
}

/**
 * Whether a store has the methods of `own`, so that the engine may use its own implementation. A
 * method was replaced where it has others, and then the engine must call the replacement.
 */
export const isUntouched = (store: object, own = nativeMethods(store)): boolean =>
  Object.keys(STORE_METHODS).every((name) => Reflect.get(store, name) === Reflect.get(own, name));

/** Reads a key through the engine. Without `range`, reads the whole value. */
export function readKey(
  id: (objects: ObjectIds) => number,
  key: string,
  range: RangeQuery | undefined,
  { signal, ...storeOptions }: StoreGetOptions,
): Promise<Uint8Array | undefined> {
  const isSuffix = range !== undefined && "suffixLength" in range;
  const offset = range && !isSuffix ? range.offset : undefined;
  const length = range && (isSuffix ? range.suffixLength : range.length);
  const makeArguments = (objects: ObjectIds) => ({ store: id(objects), key, offset, length });
  return call("readKey", makeArguments, { signal, storeOptions });
}

/** A store that the engine implements. `define` returns its definition for the engine. */
export abstract class NativeStore implements AsyncReadable {
  readonly #id: (objects: ObjectIds) => number;

  constructor(define: (objects: ObjectIds) => StoreDefinition) {
    findable(this);
    const definition = (objects: ObjectIds) => () => define(objects);
    setDefiner(this, (objects) => (isUntouched(this) ? definition(objects) : undefined));
    this.#id = (objects) => objects.native(this, definition(objects));
  }

  /**
   * Reads a value.
   *
   * @param key The key, which begins with `/`.
   * @returns the bytes; undefined if there is no such key.
   * @throws a `Store` error if the store or its server fails.
   */
  get(key: AbsolutePath, options: StoreGetOptions = {}): Promise<Uint8Array | undefined> {
    return this.#read(key, undefined, options);
  }

  /**
   * Reads a range of a value.
   *
   * @param key The key, which begins with `/`.
   * @param range `offset` and `length`, or `suffixLength`, in bytes.
   * @returns the bytes; undefined if there is no such key.
   * @throws a `Store` error if the store or its server fails.
   */
  async getRange(
    key: AbsolutePath,
    range: RangeQuery,
    options: StoreGetOptions = {},
  ): Promise<Uint8Array | undefined> {
    return this.#read(key, object(range, "range"), options);
  }

  async #read(
    key: AbsolutePath,
    range: RangeQuery | undefined,
    options: StoreGetOptions,
  ): Promise<Uint8Array | undefined> {
    needText(key, "key");
    if (range) needRange(range);
    const { signal, ...more } = object(options, "options");
    signalOf(options);
    const isPlain = Object.keys(more).length === 0;
    const derived = isPlain ? undefined : (this as RequestingStore)[REQUESTING]?.(more);
    if (!derived) return readKey(this.#id, key, range, options);
    return range ? derived.getRange?.(key, range, { signal }) : derived.get(key, { signal });
  }

  /**
   * Asks for the size of a value.
   *
   * @param key The key, which begins with `/`.
   * @returns the size in bytes; undefined if there is no such key.
   */
  async size(key: AbsolutePath, options: StoreGetOptions = {}): Promise<number | undefined> {
    needText(key, "key");
    const signal = signalOf(options);
    return call("sizeOfKey", (objects) => ({ store: this.#id(objects), key }), { signal });
  }

  /**
   * Asks whether a key has a value.
   *
   * @param key The key, which begins with `/`.
   */
  async has(key: AbsolutePath): Promise<boolean> {
    return (await this.size(key)) !== undefined;
  }

  /**
   * Lists all keys below a prefix, sorted.
   *
   * @param prefix A prefix that begins and ends with `/`. Default: `/`, the root.
   * @throws an `UnsupportedError` if the store cannot list.
   */
  async list(prefix: AbsolutePath = "/"): Promise<AbsolutePath[]> {
    needText(prefix, "prefix");
    const keys = await call("listKeys", (objects) => ({ store: this.#id(objects), prefix }));
    return keys as AbsolutePath[];
  }

  /**
   * Lists the keys and prefixes directly below a prefix, sorted.
   *
   * @param prefix A prefix that begins and ends with `/`. Default: `/`, the root.
   * @returns `keys` of values, and `prefixes` of keys with more names.
   * @throws an `UnsupportedError` if the store cannot list.
   */
  async listDir(prefix: AbsolutePath = "/"): Promise<Listed> {
    needText(prefix, "prefix");
    return (await call("listDirectory", (objects) => ({ store: this.#id(objects), prefix }))) as Listed;
  }

  /** Stores a value and replaces an existing one. */
  protected async put(key: AbsolutePath, value: Uint8Array): Promise<void> {
    needText(key, "key");
    needBytes(value, "value");
    await write("setKey", (objects) => ({ store: this.#id(objects), key, value: ownBytes(value) }));
  }

  /** Removes a key. An absent key is not an error. */
  protected async remove(key: AbsolutePath): Promise<void> {
    needText(key, "key");
    await write("eraseKey", (objects) => ({ store: this.#id(objects), key }));
  }
}
worksBehindProxies(NativeStore);

/** Copies a view of a larger buffer, because cloning a view clones its whole buffer. */
const ownBytes = (value: Uint8Array): Uint8Array =>
  value.byteLength === value.buffer.byteLength ? value : value.slice();
