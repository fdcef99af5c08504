/**
 * Extensions of stores and arrays, as zarrita has them: an object of overrides in front of what it
 * extends. Everything that is not overridden is the extended object's own, called with it as
 * `this`.
 */
import { Array as ZarrArray } from "../api/array.ts";
import { ZarrError } from "../model/errors.ts";
import type { AsyncReadable, DataType, Readable } from "../model/types.ts";

type Overrides = Record<PropertyKey, unknown>;

/**
 * What stands in front of `target`: overrides first. Methods of the target run on the target:
 * classes have private members.
 */
function inFront<T extends object>(target: T, overrides: Overrides): T {
  const bound = new Map<PropertyKey, unknown>();
  const memberOf = (name: PropertyKey) => {
    const member: unknown = Reflect.get(target, name, target);
    // `zarr.get` tells by this method whether somebody wants chunks to be asked for one by one.
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

/** The extended object, or a promise of it where the overrides are promised. */
function extended<T extends object>(
  target: T,
  made: unknown,
  merge: (overrides: Overrides) => Overrides = (overrides) => overrides,
): T | Promise<T> {
  if (made instanceof Promise) return made.then((overrides) => extended(target, overrides, merge));
  checkOverrides(made);
  return inFront(target, merge(made));
}

/** What wraps an array; `open` applies those of a store's `arrayExtensions`. */
export type ArrayExtension = (
  array: ZarrArray<DataType, Readable>,
) => ZarrArray<DataType, Readable> | Promise<ZarrArray<DataType, Readable>>;

type Plain<T> = { [K in keyof T]: T[K] } & {};
type Added<T, Own extends PropertyKey> = Plain<{ [K in Extract<Exclude<keyof T, Own>, string>]: T[K] }>;

type ArrayOverrides = Partial<Pick<ZarrArray<DataType, Readable>, "getChunk">> & Record<string, unknown>;
type ExtendedArray<R, A> =
  R extends Promise<infer Made> ? Promise<A & Added<Made, "getChunk">> : A & Added<R, "getChunk">;

/**
 * Makes an extension of arrays from a function that is given an array and options, and returns a
 * `getChunk` of its own, and whatever else the extended array is to have; or a promise of these.
 * `zarr.get` of such an array calls its `getChunk`, chunk by chunk.
 */
export function defineArrayExtension<R extends ArrayOverrides | Promise<ArrayOverrides>, Options = void>(
  factory: (array: ZarrArray<DataType, Readable>, options: Options) => R,
): <A extends ZarrArray<DataType, Readable>>(array: A, options?: Options) => ExtendedArray<R, A> {
  return <A extends ZarrArray<DataType, Readable>>(array: A, options?: Options) =>
    extended(array, factory(array, options as Options)) as unknown as ExtendedArray<R, A>;
}

type StoreOverrides = Partial<AsyncReadable> & {
  /** What `open` wraps every array of the store in, the innermost first. */
  arrayExtensions?: readonly ArrayExtension[];
} & Record<string, unknown>;

/** A store's own reading calls as `AsyncReadable` has them, and what else it has. */
type AsStore<T> = T extends AsyncReadable
  ? (T extends { getRange: (...args: never[]) => unknown } ? Required<AsyncReadable> : AsyncReadable) &
      Plain<Omit<T, keyof AsyncReadable>>
  : T;
type ExtendedStore<R, S> =
  R extends Promise<infer Made>
    ? Promise<AsStore<S & Added<Made, "get" | "getRange">>>
    : AsStore<S & Added<R, "get" | "getRange">>;

/** Array extensions of the inner store come first: the outer ones wrap them, as the stores do. */
function withInnerExtensions(inner: object, overrides: Overrides): Overrides {
  const within = (inner as StoreOverrides).arrayExtensions ?? [];
  if (within.length === 0) return overrides;
  const added = (overrides as StoreOverrides).arrayExtensions ?? [];
  return { ...overrides, arrayExtensions: [...within, ...added] };
}

/**
 * Makes an extension of stores from a function that is given a store and options, and returns
 * methods of its own (`get`, `getRange`, any other), or a promise of them. The engine calls the
 * methods of such a store as it calls those of any store of the user's.
 */
export function defineStoreExtension<R extends StoreOverrides | Promise<StoreOverrides>, Options = void>(
  factory: (store: AsyncReadable, options: Options) => R,
): <S extends AsyncReadable>(store: S, options?: Options) => ExtendedStore<R, S> {
  return <S extends AsyncReadable>(store: S, options?: Options) =>
    extended(store, factory(store, options as Options), (overrides) =>
      withInnerExtensions(store, overrides),
    ) as unknown as ExtendedStore<R, S>;
}
