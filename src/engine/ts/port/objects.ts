/**
 * Assigns ids to the page's stores, arrays, caches and callbacks, for one engine. The engine
 * gets the definition of an object before the first call that uses its id, and a `release`
 * message after the page's garbage collector has freed the object.
 *
 * Performs what the engine asks of them: calls of a user's store, of a custom `fetch` and of codecs
 * that are functions. The user's bytes are copied on the way to a worker, because a transfer would
 * detach the user's own arrays.
 */
import { lazy } from "#lazy";
import { needReadable } from "../model/argument.ts";
import { shown, ZarrError } from "../model/errors.ts";
import { isFresh } from "../model/memory.ts";
import { isPromiseLike } from "../model/realms.ts";
import { answered, type Performed } from "./answers.ts";
import {
  type ArrayDefinition,
  type ArrayKey,
  type CacheDefinition,
  type Callback,
  definerOf,
  knownDocuments,
  lockNameOf,
  methodsOf,
  type ObjectIds,
  STORE_METHODS,
  type StoreDefinition,
  staleStores,
  storeBehind,
} from "./definitions.ts";
import type { Ask, ToEngine } from "./protocol.ts";

/** The id of a user's store, and the methods that were sent to the engine. */
interface KnownUser {
  id: number;
  methods: string;
  /** Whether the engine was told that its values are not copied. */
  isFresh: boolean;
}

type Kind = "store" | "array" | "cache";

export class Objects implements ObjectIds {
  readonly #post: (message: ToEngine) => void;
  #next = 1;
  /** Ids of this package's stores, of arrays, of caches and of callbacks. */
  readonly #ids = new WeakMap<object, number>();
  readonly #users = new WeakMap<object, KnownUser>();
  readonly #arrayStores = new WeakMap<object, number>();
  /** Objects that the engine may ask for by id. */
  readonly #targets = new Map<number, WeakRef<object>>();
  readonly #released = new FinalizationRegistry<{ kind: Kind | "callback"; id: number }>(({ kind, id }) => {
    this.#targets.delete(id);
    if (kind !== "callback") this.#post({ type: "release", kind, id });
  });

  readonly isLocal: boolean;

  constructor(post: (message: ToEngine) => void, isLocal: boolean) {
    this.isLocal = isLocal;
    this.#post = post;
  }

  #newId(kind: Kind | "callback", object: object): number {
    const id = this.#next++;
    this.#released.register(object, { kind, id });
    return id;
  }

  /** The id of an object. `define` is called with a new one. */
  #once(kind: Kind | "callback", object: object, define: (id: number) => unknown): number {
    const known = this.#ids.get(object);
    if (known !== undefined) return known;
    const id = this.#newId(kind, object);
    this.#ids.set(object, id);
    define(id);
    return id;
  }

  store(store: unknown): number {
    needReadable(store, "store");
    if (typeof store !== "object" || store === null) {
      throw new ZarrError("Argument", "a store must be an object with a method `get`", {
        actual: shown(store),
      });
    }
    const own = storeBehind(store);
    const definer = definerOf(own);
    const made = definer?.(this);
    if (typeof made === "number") return made;
    return made ? this.native(own, made) : this.#user(own);
  }

  native(store: object, make: () => StoreDefinition): number {
    return this.#once("store", store, (id) => {
      this.#targets.set(id, new WeakRef(store));
      const definition = make();
      if ("http" in definition) {
        definition.http.passesCaches = staleStores.has(store);
        definition.http.knownDocument = knownDocuments.get(store);
      }
      this.#post({ type: "store", store: id, definition });
    });
  }

  #user(store: object): number {
    const methods = methodsOf(store);
    const key = methods.join();
    const known = this.#users.get(store);
    if (known?.methods === key) return known.id;
    const id = known?.id ?? this.#newId("store", store);
    // The engine asks for this at the first definition alone.
    const fresh = known?.isFresh ?? isFresh(store);
    this.#users.set(store, { id, methods: key, isFresh: fresh });
    this.#targets.set(id, new WeakRef(store));
    const lockName = lockNameOf(store);
    const definition: StoreDefinition = { kind: "user", methods, lockName, isFresh: fresh };
    this.#post({ type: "store", store: id, definition });
    return id;
  }

  array(key: ArrayKey, store: unknown, define: (ids: ObjectIds, store: number) => ArrayDefinition): number {
    const storeId = this.store(store);
    const known = this.#ids.get(key);
    if (known !== undefined && this.#arrayStores.get(key) === storeId) return known;
    const id = this.#newId("array", key);
    this.#targets.set(id, new WeakRef(key));
    this.#post({ type: "array", array: id, definition: define(this, storeId) });
    this.#ids.set(key, id);
    this.#arrayStores.set(key, storeId);
    return id;
  }

  cache(cache: object, definition: CacheDefinition): number {
    return this.#once("cache", cache, (id) => this.#post({ type: "cache", cache: id, definition }));
  }

  callback(callback: Callback): number {
    return this.#once("callback", callback, (id) => this.#targets.set(id, new WeakRef(callback)));
  }

  keepAs(id: number, store: object): void {
    this.#chosen.set(id, store);
  }

  /**
   * Objects under ids that the engine chose. They are held strongly, because nothing else may
   * refer to them. They are 0 or from 2^31 up, so they do not collide with `#next`.
   */
  readonly #chosen = new Map<number, object>();

  target(id: number): object {
    const target = this.#chosen.get(id) ?? this.#targets.get(id)?.deref();
    if (target) return target;
    throw new ZarrError(
      "Store",
      "the store of this node no longer exists; keep a reference to it while it is in use",
    );
  }

  /** Whether a store keeps none of its values. */
  isFresh(store: object): boolean {
    return (this.#users.get(store)?.isFresh ?? false) && isFresh(store);
  }

  /** Passes a warning about an array's chunks to the array, unless it has been freed. */
  warnArray(id: number, message: string): void {
    (this.#targets.get(id)?.deref() as ArrayKey | undefined)?.warn(message);
  }

  storeOf(id: number | undefined): object | undefined {
    return id === undefined ? undefined : this.#targets.get(id)?.deref();
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

type Methods = Record<string, (...args: unknown[]) => unknown>;

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
  const call = () => methods[method]?.(...args);
  if (use !== "lists") return call();
  const signal = left();
  return lazy().then(({ collectedOf }) => collectedOf(method, call(), signal));
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
    return isPromiseLike(made) ? Promise.resolve(made).then(performed) : performed(made);
  }
  const value = callStore(target, ask, { ...storeOptions, signal }, left);
  const performed = (settled: unknown) => answered(ask.method, settled, objects.isFresh(target), isLocal);
  return isPromiseLike(value) ? Promise.resolve(value).then(performed) : performed(value);
}

/** The answer of a callback with buffers that may be transferred. */
export class Transferring {
  readonly value: unknown;
  readonly transfer: ArrayBuffer[];

  constructor(value: unknown, transfer: ArrayBuffer[]) {
    this.value = value;
    this.transfer = transfer;
  }
}
