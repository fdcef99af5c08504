/**
 * Assigns numbers to the page's stores, arrays, caches and callbacks, for one engine. The engine
 * gets the definition of an object before the first call that uses its number, and a `release`
 * message after the page's garbage collector has freed the object.
 *
 * Performs what the engine asks of them: calls of a user's store, of a custom `fetch` and of codecs
 * that are functions. The user's bytes are copied on the way to a worker, because a transfer would
 * detach the user's own arrays.
 */
import { needReadable } from "../model/argument.ts";
import { shown, ZarrError } from "../model/errors.ts";
import { LISTED_KEYS } from "../model/limits.ts";
import { viewBytes } from "../model/memory.ts";
import {
  type ArrayDefinition,
  type ArrayKey,
  type CacheDefinition,
  type Callback,
  definerOf,
  doubtfulStores,
  lockNameOf,
  methodsOf,
  type ObjectNumbers,
  STORE_METHODS,
  type StoreDefinition,
} from "./definitions.ts";
import type { Ask, ToEngine } from "./protocol.ts";

/** The number of a user's store, and the methods that were sent to the engine. */
interface KnownUser {
  number: number;
  methods: string;
}

type Kind = "store" | "array" | "cache";

export class Objects implements ObjectNumbers {
  readonly #post: (message: ToEngine) => void;
  #next = 1;
  /** Numbers of this package's stores, of arrays, of caches and of callbacks. */
  readonly #numbers = new WeakMap<object, number>();
  readonly #users = new WeakMap<object, KnownUser>();
  readonly #arrayStores = new WeakMap<object, number>();
  /** Objects that the engine may ask for by number. */
  readonly #targets = new Map<number, WeakRef<object>>();
  readonly #released = new FinalizationRegistry<{ kind: Kind | "callback"; number: number }>(
    ({ kind, number }) => {
      this.#targets.delete(number);
      if (kind !== "callback") this.#post({ type: "release", kind, number });
    },
  );

  readonly isLocal: boolean;

  constructor(post: (message: ToEngine) => void, isLocal: boolean) {
    this.isLocal = isLocal;
    this.#post = post;
  }

  #numbered(kind: Kind | "callback", object: object): number {
    const number = this.#next++;
    this.#released.register(object, { kind, number });
    return number;
  }

  /** The number of an object. `define` is called with a new one. */
  #once(kind: Kind | "callback", object: object, define: (number: number) => unknown): number {
    const known = this.#numbers.get(object);
    if (known !== undefined) return known;
    const number = this.#numbered(kind, object);
    this.#numbers.set(object, number);
    define(number);
    return number;
  }

  store(store: unknown): number {
    needReadable(store, "store");
    if (typeof store !== "object" || store === null) {
      throw new ZarrError("Argument", "a store must be an object with a method `get`", {
        actual: shown(store),
      });
    }
    const definer = definerOf(store);
    const made = definer?.(this);
    if (typeof made === "number") return made;
    return made ? this.native(store, made) : this.#user(store);
  }

  native(store: object, make: () => StoreDefinition): number {
    return this.#once("store", store, (number) => {
      this.#targets.set(number, new WeakRef(store));
      const definition = make();
      if ("http" in definition) definition.http.passesCaches = doubtfulStores.has(store);
      this.#post({ type: "store", store: number, definition });
    });
  }

  #user(store: object): number {
    const methods = methodsOf(store);
    const key = methods.join();
    const known = this.#users.get(store);
    if (known?.methods === key) return known.number;
    const number = known?.number ?? this.#numbered("store", store);
    this.#users.set(store, { number, methods: key });
    this.#targets.set(number, new WeakRef(store));
    const definition: StoreDefinition = { kind: "user", methods, lockName: lockNameOf(store) };
    this.#post({ type: "store", store: number, definition });
    return number;
  }

  array(
    key: ArrayKey,
    store: unknown,
    define: (numbers: ObjectNumbers, store: number) => ArrayDefinition,
  ): number {
    const storeNumber = this.store(store);
    const known = this.#numbers.get(key);
    if (known !== undefined && this.#arrayStores.get(key) === storeNumber) return known;
    const number = this.#numbered("array", key);
    this.#targets.set(number, new WeakRef(key));
    this.#post({ type: "array", array: number, definition: define(this, storeNumber) });
    this.#numbers.set(key, number);
    this.#arrayStores.set(key, storeNumber);
    return number;
  }

  cache(cache: object, definition: CacheDefinition): number {
    return this.#once("cache", cache, (number) => this.#post({ type: "cache", cache: number, definition }));
  }

  callback(callback: Callback): number {
    return this.#once("callback", callback, (number) => this.#targets.set(number, new WeakRef(callback)));
  }

  keepAs(number: number, store: object): void {
    this.#chosen.set(number, store);
  }

  /**
   * Objects under numbers that the engine chose. They are held strongly, because nothing else may
   * refer to them. The engine's numbers are negative or 0, so they do not collide with `#next`.
   */
  readonly #chosen = new Map<number, object>();

  target(number: number): object {
    const target = this.#chosen.get(number) ?? this.#targets.get(number)?.deref();
    if (target) return target;
    throw new ZarrError(
      "Store",
      "the store of this node no longer exists; keep a reference to it while it is in use",
    );
  }

  /** Passes a warning about an array's chunks to the array, unless it has been freed. */
  warnArray(number: number, message: string): void {
    (this.#targets.get(number)?.deref() as ArrayKey | undefined)?.warn(message);
  }

  storeOf(number: number | undefined): object | undefined {
    return number === undefined ? undefined : this.#targets.get(number)?.deref();
  }
}

interface Circumstances {
  /** The signal of the engine's call: the same object that the caller passed. */
  signal: AbortSignal | undefined;
  /** The caller's other options for a user's store. */
  storeOptions: object | undefined;
  /** Makes the signal that aborts when the engine no longer needs the answer. */
  left: () => AbortSignal;
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
 * (`files/folders.ts`).
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
  // Memory for it is not cleared first.
  const copy = new Uint8Array(bytes);
  const { [SIZE]: size, [VERSION]: version } = value as { [SIZE]?: number; [VERSION]?: string };
  return { value: copy, transfer: [copy.buffer], size, version };
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

/** A key as a `Map` has it: those of other programs may have keys without the slash. */
function keyIn(map: Map<unknown, unknown>, key: string): string {
  const bare = key.slice(1);
  const [first] = map.keys();
  const isBare = typeof first === "string" && !first.startsWith("/");
  return map.has(bare) || (isBare && !map.has(key)) ? bare : key;
}

/**
 * Calls a method of a user's store as zarrita does: the caller's own signal and options are in the
 * last argument.
 */
function callStore(store: object, { method, args }: Ask, options: object, left: () => AbortSignal): unknown {
  const methods = store as Methods;
  const use = STORE_METHODS[method];
  const isMap = store instanceof Map && store.get === Map.prototype.get;
  if (isMap && use !== "lists") args[0] = keyIn(store, args[0] as string);
  if (use === "reads") return methods[method]?.(...args, options);
  const answer = methods[method]?.(...args);
  if (use !== "lists") return answer;
  return method === "listDir" ? collectedDirectory(answer, left()) : collected(answer, left());
}

/** Performs one request of the engine. Stays synchronous if the user's code is. */
export function perform(
  objects: Objects,
  ask: Ask,
  { signal, storeOptions, left, isLocal }: Circumstances,
): Performed | Promise<Performed> {
  const target = objects.target(ask.target);
  if (typeof target === "function") {
    const made = (target as (...args: unknown[]) => unknown)(...ask.args, left());
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
