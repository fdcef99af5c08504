/**
 * zarrita's extensions of stores and arrays: an object of overrides in front of the extended
 * object. Every other member is the extended object's own, called with it as `this`.
 */
import { Array as ZarrArray } from "../api/array.ts";
import { ZarrError } from "../model/errors.ts";
import type { AsyncReadable, DataType, Readable } from "../model/types.ts";

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
  throw new ZarrError("Argument", "an extension must return an object of overrides", {
    expected: "an object",
    actual: made === null ? "null" : typeof made,
  });
}

/** Returns the extended object, or a promise of it if the overrides are a promise. */
function extended<T extends object>(
  target: T,
  made: unknown,
  merge: (overrides: Overrides) => Overrides = (overrides) => overrides,
): T | Promise<T> {
  if (made instanceof Promise) return made.then((overrides) => extended(target, overrides, merge));
  checkOverrides(made);
  return inFront(target, merge(made));
}

/** A function that wraps an array. `open` applies the `arrayExtensions` of a store. */
export type ArrayExtension = (
  array: ZarrArray<DataType, Readable>,
) => ZarrArray<DataType, Readable> | Promise<ZarrArray<DataType, Readable>>;

type Plain<T> = { [K in keyof T]: T[K] } & {};
type Added<T, Own extends PropertyKey> = Plain<{ [K in Extract<Exclude<keyof T, Own>, string>]: T[K] }>;

type ArrayOverrides = Partial<Pick<ZarrArray<DataType, Readable>, "getChunk">> & Record<string, unknown>;
type ExtendedArray<R, A> =
  R extends Promise<infer Made> ? Promise<A & Added<Made, "getChunk">> : A & Added<R, "getChunk">;

/**
 * Makes an extension of arrays. `factory` gets an array and options, and returns a replacement for
 * `getChunk` and any further members, or a promise of them. `zarr.get` of an extended array calls
 * its `getChunk` chunk by chunk. Throws an `Argument` error if `factory` returns no object.
 */
export function defineArrayExtension<R extends ArrayOverrides | Promise<ArrayOverrides>, Options = void>(
  factory: (array: ZarrArray<DataType, Readable>, options: Options) => R,
): <A extends ZarrArray<DataType, Readable>>(array: A, options?: Options) => ExtendedArray<R, A> {
  return <A extends ZarrArray<DataType, Readable>>(array: A, options?: Options) =>
    extended(array, factory(array, options as Options)) as unknown as ExtendedArray<R, A>;
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
 * Makes an extension of stores. `factory` gets a store and options, and returns methods (`get`,
 * `getRange`, any other), or a promise of them. The engine treats an extended store as a user's
 * store. Throws an `Argument` error if `factory` returns no object.
 */
export function defineStoreExtension<R extends StoreOverrides | Promise<StoreOverrides>, Options = void>(
  factory: (store: AsyncReadable, options: Options) => R,
): <S extends AsyncReadable>(store: S, options?: Options) => ExtendedStore<R, S> {
  return <S extends AsyncReadable>(store: S, options?: Options) =>
    extended(store, factory(store, options as Options), (overrides) =>
      withInnerExtensions(store, overrides),
    ) as unknown as ExtendedStore<R, S>;
}
