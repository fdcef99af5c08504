/**
 * Assigns numbers to the page's stores, arrays, caches and callbacks, for one engine. The engine
 * gets the definition of an object before the first call that uses its number, and a `release`
 * message after the page's garbage collector has freed the object.
 */
import { needReadable } from "../model/argument.ts";
import { shown, ZarrError } from "../model/errors.ts";
import type {
  ArrayDefinition,
  ArrayKey,
  CacheDefinition,
  Callback,
  ObjectNumbers,
  StoreDefinition,
} from "./definitions.ts";
import { definerOf, doubtfulStores, methodsOf } from "./page_stores.ts";
import type { ToEngine } from "./protocol.ts";

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
