/**
 * zarrita's extensions of stores and arrays: an object of overrides in front of the extended
 * object. Every other member is the extended object's own, called with it as `this`. `extendStore`
 * and `extendArray` apply several in order; the result is a promise if one of them returns one.
 * `decodeInWorkers` is an extension for arrays of zarrita itself. It uses no code of zarrita.
 */
import { type AnyArray, Array as ZarrArray } from "../../api/array.ts";
import { root } from "../../api/location.ts";
import { open } from "../../api/open.ts";
import { applied } from "../../api/opened_nodes.ts";
import type { ReadOptions } from "../../api/read/request.ts";
import { needFunction, needReadable, object, refuse } from "../../engine/ts/model/argument.ts";
import { isPromiseLike } from "../../engine/ts/model/realms.ts";
import type { AbsolutePath, AsyncReadable, Readable } from "../../engine/ts/model/types.ts";

type Overrides = Record<PropertyKey, unknown>;

/**
 * Returns a proxy of `target` with overrides. Methods of the target get the target as `this`,
 * because classes have private members.
 */
export function inFront<T extends object>(target: T, overrides: Overrides): T {
  const bound = new Map<PropertyKey, unknown>();
  const memberOf = (name: PropertyKey) => {
    const member: unknown = Reflect.get(target, name, target);
    // `zarr.get` compares this method to detect a replaced `getChunk`, so it must not be bound.
    const isOwnChunk = target instanceof ZarrArray && member === ZarrArray.prototype.getChunk;
    if (typeof member !== "function" || isOwnChunk) return member;
    if (!bound.has(name)) bound.set(name, member.bind(target));
    return bound.get(name);
  };
  return new Proxy(target, {
    get: (_, name) => (name in overrides ? overrides[name] : memberOf(name)),
    has: (_, name) => name in overrides || Reflect.has(target, name),
    ownKeys: () => [...new Set([...Reflect.ownKeys(target), ...Object.keys(overrides)])],
    getOwnPropertyDescriptor: (_, name) =>
      name in overrides
        ? { configurable: true, enumerable: true, value: overrides[name] }
        : Reflect.getOwnPropertyDescriptor(target, name),
  });
}

function checkOverrides(made: unknown): asserts made is Overrides {
  if (typeof made === "object" && made !== null) return;
  refuse(
    "an extension must return an object of overrides",
    "an object",
    made === null ? "null" : typeof made,
  );
}

/** Returns the extended object, or a promise of it if the overrides are a promise. */
function extended<T extends object>(
  target: T,
  made: unknown,
  merge: (overrides: Overrides) => Overrides = (overrides) => overrides,
): T | Promise<T> {
  if (isPromiseLike(made))
    return Promise.resolve(made).then((overrides) => extended(target, overrides, merge));
  checkOverrides(made);
  return inFront(target, merge(made));
}

/** A function that wraps an array. `open` applies those in the `arrayExtensions` of a store. */
export type ArrayExtension = (array: AnyArray) => AnyArray | Promise<AnyArray>;

type Plain<T> = { [K in keyof T]: T[K] } & {};
type Added<T, Own extends PropertyKey> = Plain<{ [K in Extract<Exclude<keyof T, Own>, string>]: T[K] }>;

type ArrayOverrides = Partial<Pick<AnyArray, "getChunk">> & Record<string, unknown>;
type ExtendedArray<R, A> =
  R extends Promise<infer Made> ? Promise<A & Added<Made, "getChunk">> : A & Added<R, "getChunk">;

/**
 * Makes an extension of arrays. `get` of an extended array calls its `getChunk` chunk by chunk.
 *
 *     const withCounter = defineArrayExtension((array) => ({
 *       getChunk: (index, options) => array.getChunk(index, options),
 *     }));
 *
 * @param factory Gets an array and options. It returns a replacement for `getChunk` and any further
 *   members, or a promise of them.
 * @returns the extension: a function that takes an array and options.
 * @throws an `Argument` error if `factory` returns no object.
 */
export function defineArrayExtension<R extends ArrayOverrides | Promise<ArrayOverrides>, Options = void>(
  factory: (array: AnyArray, options: Options) => R,
): <A extends AnyArray>(array: A, options?: Options) => ExtendedArray<R, A> {
  needFunction(factory, "factory");
  return <A extends AnyArray>(array: A, options?: Options) =>
    extended(array, factory(array, options as Options)) as ExtendedArray<R, A>;
}

type StoreOverrides = Partial<AsyncReadable> & {
  /** Extensions that `open` applies to every array of the store, the innermost first. */
  arrayExtensions?: readonly ArrayExtension[];
} & Record<string, unknown>;

/** The store with the reading methods of `AsyncReadable`, and its other members. */
type AsStore<T> = T extends AsyncReadable
  ? (T extends { getRange: (...args: never[]) => unknown } ? Required<AsyncReadable> : AsyncReadable) &
      Plain<Omit<T, keyof AsyncReadable>>
  : T;
type ExtendedStore<R, S> =
  R extends Promise<infer Made>
    ? Promise<AsStore<S & Added<Made, "get" | "getRange">>>
    : AsStore<S & Added<R, "get" | "getRange">>;

/**
 * Array extensions of the inner store come first, so that the outer ones wrap them as the stores
 * do.
 */
function withInnerExtensions(inner: object, overrides: Overrides): Overrides {
  const within = (inner as StoreOverrides).arrayExtensions ?? [];
  if (within.length === 0) return overrides;
  const added = (overrides as StoreOverrides).arrayExtensions ?? [];
  return { ...overrides, arrayExtensions: [...within, ...added] };
}

/**
 * Makes an extension of stores. The engine treats an extended store as a store of yours.
 *
 *     const withLog = defineStoreExtension((store) => ({
 *       get: (key, options) => (console.log(key), store.get(key, options)),
 *     }));
 *
 * @param factory Gets a store and options. It returns methods (`get`, `getRange`, any other), or a
 *   promise of them.
 * @returns the extension: a function that takes a store and options.
 * @throws an `Argument` error if `factory` returns no object.
 */
export function defineStoreExtension<R extends StoreOverrides | Promise<StoreOverrides>, Options = void>(
  factory: (store: AsyncReadable, options: Options) => R,
): <S extends AsyncReadable>(store: S, options?: Options) => ExtendedStore<R, S> {
  needFunction(factory, "factory");
  return <S extends AsyncReadable>(store: S, options?: Options) =>
    extended(object(store, "store"), factory(store, options as Options), (overrides) =>
      withInnerExtensions(store, overrides),
    ) as ExtendedStore<R, S>;
}

type AnyExtension = (value: never) => unknown;

/** The last result of a chain of extensions; a promise if any result is one. */
export type MaybeAsync<Last, Results extends readonly unknown[]> = [
  Extract<Results[number], Promise<unknown>>,
] extends [never]
  ? Awaited<Last>
  : Promise<Awaited<Last>>;

type Next<From, To> = (from: Awaited<From>) => To;

/** The type of `extendStore` and `extendArray`. */
interface Extend<Base> {
  <S extends Base>(base: S): S;
  <S extends Base, A>(base: S, a: Next<S, A>): MaybeAsync<A, [A]>;
  <S extends Base, A, B>(base: S, a: Next<S, A>, b: Next<A, B>): MaybeAsync<B, [A, B]>;
  <S extends Base, A, B, C>(base: S, a: Next<S, A>, b: Next<A, B>, c: Next<B, C>): MaybeAsync<C, [A, B, C]>;
  <S extends Base, A, B, C, D>(
    base: S,
    a: Next<S, A>,
    b: Next<A, B>,
    c: Next<B, C>,
    d: Next<C, D>,
  ): MaybeAsync<D, [A, B, C, D]>;
  <S extends Base, A, B, C, D, E>(
    base: S,
    a: Next<S, A>,
    b: Next<A, B>,
    c: Next<B, C>,
    d: Next<C, D>,
    e: Next<D, E>,
  ): MaybeAsync<E, [A, B, C, D, E]>;
}

/**
 * Applies extensions to a store, the innermost first. The result is a promise if one of them
 * returns one.
 *
 *     const store = extendStore(new FetchStore(url), withByteCaching, withLog);
 */
export const extendStore = ((store: AsyncReadable, ...extensions: AnyExtension[]) => {
  needReadable(store, "store");
  return applied(store, extensions);
}) as Extend<AsyncReadable>;

/**
 * Applies extensions to an array, the innermost first. The result is a promise if one of them
 * returns one.
 */
export const extendArray = ((array: AnyArray, ...extensions: AnyExtension[]) => {
  needReadable(array, "array");
  return applied(array, extensions);
}) as Extend<AnyArray>;

/** The used part of zarrita's `Array`, of version 0.5 and later. */
export interface ZarritaArray {
  /** Its store. */
  readonly store: object;
  /** Its path in the store. */
  readonly path: string;
  /** Reads one chunk. */
  getChunk(...args: never[]): Promise<unknown>;
}

/**
 * Extends an array of zarrita, so that its `getChunk`, and with it zarrita's `get`, decodes in the
 * workers of this package, also with codecs that zarrita lacks. Bytes come from the array's own
 * store, with its extensions. The metadata is read again through the store. Aborts and errors of
 * chunks are those of `Array.getChunk`.
 *
 *     const opened = await zarrita.open(store, { kind: "array" });
 *     const array = await zarrita.extendArray(opened, decodeInWorkers);
 *
 * @param array An array that zarrita has opened.
 * @throws the errors of `open`, if the metadata cannot be read.
 */
export async function decodeInWorkers<A extends ZarritaArray>(array: A): Promise<A> {
  if (array instanceof ZarrArray) return array;
  const location = root(array.store as Readable).resolve(array.path as AbsolutePath);
  const ours = await open(location, { kind: "array" });
  const getChunk = (index: number[], options?: ReadOptions, shared?: { useSharedArrayBuffer?: boolean }) =>
    ours.getChunk(index, options, shared);
  return inFront(array, { getChunk });
}
