/**
 * Numbers for the page's objects: stores, arrays, caches and callbacks, as one engine knows them.
 * The engine is told what an object is before the first call that names it, and that it is gone
 * when the page has let go of it.
 */
import { ZarrError } from "../model/errors.ts";
import type { ArrayDefinition, CacheDefinition, StoreDefinition } from "./definitions.ts";
import type { ArrayKey, Callback, ObjectNumbers } from "./object_numbers.ts";
import type { ToEngine } from "./protocol.ts";
import { definerOf, methodsOf } from "./store_definers.ts";

/** A user's store, and the methods that the engine was told of. */
interface KnownUser {
  number: number;
  methods: string;
}

type Kind = "store" | "array" | "cache";

export class Objects implements ObjectNumbers {
  readonly #post: (message: ToEngine) => void;
  #next = 1;
  /** Of stores of ours, arrays, caches and callbacks. */
  readonly #numbers = new WeakMap<object, number>();
  readonly #users = new WeakMap<object, KnownUser>();
  readonly #arrayStores = new WeakMap<object, number>();
  /** Stores and callbacks that the engine may ask for. */
  readonly #targets = new Map<number, WeakRef<object>>();
  readonly #released = new FinalizationRegistry<{ kind: Kind | "callback"; number: number }>(
    ({ kind, number }) => {
      this.#targets.delete(number);
      if (kind !== "callback") this.#post({ type: "release", kind, number });
    },
  );

  /** The engine is on this thread: objects can be passed to it. */
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

  /**
   * The number of a store: of ours by its definition, of any other object by the methods that it
   * has now.
   */
  store(store: unknown): number {
    if (typeof store !== "object" || store === null) {
      throw new ZarrError("Argument", "a store is an object with a method `get`", { actual: String(store) });
    }
    const definer = definerOf(store);
    const made = definer?.(this);
    if (typeof made === "number") return made;
    return made ? this.native(store, made) : this.#user(store);
  }

  /**
   * The number of a store of ours; `make` says what it is, when the engine does not know it yet.
   */
  native(store: object, make: () => StoreDefinition): number {
    const known = this.#numbers.get(store);
    if (known !== undefined) return known;
    const number = this.#numbered("store", store);
    this.#numbers.set(store, number);
    this.#targets.set(number, new WeakRef(store));
    this.#post({ type: "store", store: number, definition: make() });
    return number;
  }

  #user(store: object): number {
    const methods = methodsOf(store);
    const { lockName } = store as { lockName?: unknown };
    const key = methods.join();
    const known = this.#users.get(store);
    if (known?.methods === key) return known.number;
    const number = known?.number ?? this.#numbered("store", store);
    this.#users.set(store, { number, methods: key });
    this.#targets.set(number, new WeakRef(store));
    const definition: StoreDefinition = {
      kind: "user",
      methods,
      lockName: typeof lockName === "string" ? lockName : undefined,
    };
    this.#post({ type: "store", store: number, definition });
    return number;
  }

  /**
   * The number of an array that `key` stands for; `define` says what it is, for the store of that
   * number.
   */
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

  /** The number of a persistent cache. */
  cache(cache: object, definition: CacheDefinition): number {
    const known = this.#numbers.get(cache);
    if (known !== undefined) return known;
    const number = this.#numbered("cache", cache);
    this.#numbers.set(cache, number);
    this.#post({ type: "cache", cache: number, definition });
    return number;
  }

  /** The number of a callback. It is held weakly: its owner keeps it. */
  callback(callback: Callback): number {
    const known = this.#numbers.get(callback);
    if (known !== undefined) return known;
    const number = this.#numbered("callback", callback);
    this.#numbers.set(callback, number);
    this.#targets.set(number, new WeakRef(callback));
    return number;
  }

  /** Gives an object a number that the engine chose: a store that a storage transformer made. */
  keepAs(number: number, store: object): void {
    this.#chosen.set(number, store);
  }

  /** Held strongly, as nobody else may hold them. The engine's numbers are negative. */
  readonly #chosen = new Map<number, object>();

  target(number: number): object {
    const target = this.#chosen.get(number) ?? this.#targets.get(number)?.deref();
    if (target) return target;
    throw new ZarrError("Store", "the store of this node is gone");
  }

  /** Tells an array of what is odd about its chunks. */
  warnArray(number: number, message: string): void {
    (this.#targets.get(number)?.deref() as ArrayKey | undefined)?.warn(message);
  }

  storeOf(number: number | undefined): object | undefined {
    return number === undefined ? undefined : this.#targets.get(number)?.deref();
  }
}
