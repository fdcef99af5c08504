/**
 * Stores that the engine has itself: each method asks it. Any other object with zarrita's interface
 * (a `Map` too) is a user's store, which the engine calls just as zarrita would.
 */
import type { Listed } from "../files/file.ts";
import type { AbsolutePath, AsyncReadable, RangeQuery, StoreGetOptions } from "../model/types.ts";
import type { StoreDefinition } from "../port/definitions.ts";
import { call, write } from "../port/engine.ts";
import type { ObjectNumbers } from "../port/object_numbers.ts";
import { setDefiner } from "../port/store_definers.ts";

/** What the engine calls to read and write; a subclass that has its own wants them to be called. */
const METHODS = ["get", "getRange", "size", "list", "listDir", "set", "delete"] as const;

/** Prototypes of the classes whose methods are the engine's. */
const OURS = new WeakSet<object>();

/** Says that a class adds nothing to the engine's methods but what the engine does too. */
export function isOurs(of: { prototype: NativeStore }): void {
  OURS.add(of.prototype);
}

/**
 * The prototype of ours that an object has: where its methods are those that the engine has too.
 */
function nativeMethods(store: object): object {
  let prototype = Object.getPrototypeOf(store);
  while (prototype && !OURS.has(prototype)) prototype = Object.getPrototypeOf(prototype);
  return prototype ?? NativeStore.prototype;
}

/** Whether the engine may read a store by itself: its methods were not replaced. */
export const isUntouched = (store: NativeStore): boolean => {
  const own = nativeMethods(store);
  return METHODS.every((name) => Reflect.get(store, name) === Reflect.get(own, name));
};

/** Reads a key through the engine; `range` is absent for a whole value. */
export function readKey(
  number: (objects: ObjectNumbers) => number,
  key: string,
  range: RangeQuery | undefined,
  { signal }: StoreGetOptions,
): Promise<Uint8Array | undefined> {
  const isSuffix = range !== undefined && "suffixLength" in range;
  const offset = range && !isSuffix ? range.offset : undefined;
  const length = range && (isSuffix ? range.suffixLength : range.length);
  return call("readKey", (objects) => ({ store: number(objects), key, offset, length }), { signal });
}

/**
 * A store of the engine's. `define` tells the engine what it is, when the engine does not know it
 * yet.
 */
export abstract class NativeStore implements AsyncReadable {
  readonly #number: (objects: ObjectNumbers) => number;

  constructor(define: (objects: ObjectNumbers) => StoreDefinition) {
    const definition = (objects: ObjectNumbers) => () => define(objects);
    setDefiner(this, (objects) => (isUntouched(this) ? definition(objects) : undefined));
    this.#number = (objects) => objects.native(this, definition(objects));
  }

  get(key: AbsolutePath, options: StoreGetOptions = {}): Promise<Uint8Array | undefined> {
    return readKey(this.#number, key, undefined, options);
  }

  getRange(
    key: AbsolutePath,
    range: RangeQuery,
    options: StoreGetOptions = {},
  ): Promise<Uint8Array | undefined> {
    return readKey(this.#number, key, range, options);
  }

  /** Bytes of a value; undefined where there is none. */
  size(key: AbsolutePath, { signal }: StoreGetOptions = {}): Promise<number | undefined> {
    return call("sizeOfKey", (objects) => ({ store: this.#number(objects), key }), { signal });
  }

  /** Whether there is a value under a key. */
  async has(key: AbsolutePath): Promise<boolean> {
    return (await this.size(key)) !== undefined;
  }

  /** All keys below a prefix, in order. Rejects where the store cannot list. */
  async list(prefix: AbsolutePath = "/"): Promise<AbsolutePath[]> {
    const keys = await call("listKeys", (objects) => ({ store: this.#number(objects), prefix }));
    return keys as AbsolutePath[];
  }

  /**
   * The keys and prefixes directly below a prefix, in order. Rejects where the store cannot list.
   */
  async listDir(prefix: AbsolutePath = "/"): Promise<Listed> {
    return (await call("listDirectory", (objects) => ({ store: this.#number(objects), prefix }))) as Listed;
  }

  /** Puts a value under a key, in place of what is there. */
  protected async put(key: AbsolutePath, value: Uint8Array): Promise<void> {
    await write("setKey", (objects) => ({ store: this.#number(objects), key, value: ownBytes(value) }));
  }

  /** Removes a key; of an absent one too without an error. */
  protected async remove(key: AbsolutePath): Promise<void> {
    await write("eraseKey", (objects) => ({ store: this.#number(objects), key }));
  }
}

/** A view of a larger buffer would be cloned with all of it. */
const ownBytes = (value: Uint8Array): Uint8Array =>
  value.byteLength === value.buffer.byteLength ? value : value.slice();
