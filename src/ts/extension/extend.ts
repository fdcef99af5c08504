/**
 * `extendStore` and `extendArray`: several extensions one after the other. The result is a promise where one of them gave one.
 */
import type { Array as ZarrArray } from "../array.ts";
import type { AsyncReadable, DataType, Readable } from "../types.ts";

type AnyExtension = (value: never) => unknown;

function applied(value: unknown, extensions: readonly AnyExtension[]): unknown {
  return extensions.reduce<unknown>(
    (inner, extension) =>
      inner instanceof Promise
        ? inner.then((settled) => extension(settled as never))
        : extension(inner as never),
    value,
  );
}

/** The last result, promised where any of the results was. */
export type MaybeAsync<Last, Results extends readonly unknown[]> = [
  Extract<Results[number], Promise<unknown>>,
] extends [never]
  ? Awaited<Last>
  : Promise<Awaited<Last>>;

type Next<From, To> = (from: Awaited<From>) => To;

export function extendStore<S extends AsyncReadable>(store: S): S;
export function extendStore<S extends AsyncReadable, A>(store: S, a: Next<S, A>): MaybeAsync<A, [A]>;
export function extendStore<S extends AsyncReadable, A, B>(
  store: S,
  a: Next<S, A>,
  b: Next<A, B>,
): MaybeAsync<B, [A, B]>;
export function extendStore<S extends AsyncReadable, A, B, C>(
  store: S,
  a: Next<S, A>,
  b: Next<A, B>,
  c: Next<B, C>,
): MaybeAsync<C, [A, B, C]>;
export function extendStore<S extends AsyncReadable, A, B, C, D>(
  store: S,
  a: Next<S, A>,
  b: Next<A, B>,
  c: Next<B, C>,
  d: Next<C, D>,
): MaybeAsync<D, [A, B, C, D]>;
export function extendStore<S extends AsyncReadable, A, B, C, D, E>(
  store: S,
  a: Next<S, A>,
  b: Next<A, B>,
  c: Next<B, C>,
  d: Next<C, D>,
  e: Next<D, E>,
): MaybeAsync<E, [A, B, C, D, E]>;
/** A store in its extensions, the first of them the innermost. */
export function extendStore(store: AsyncReadable, ...extensions: AnyExtension[]): unknown {
  return applied(store, extensions);
}

type AnyArray = ZarrArray<DataType, Readable>;

export function extendArray<S extends AnyArray>(array: S): S;
export function extendArray<S extends AnyArray, A>(array: S, a: Next<S, A>): MaybeAsync<A, [A]>;
export function extendArray<S extends AnyArray, A, B>(
  array: S,
  a: Next<S, A>,
  b: Next<A, B>,
): MaybeAsync<B, [A, B]>;
export function extendArray<S extends AnyArray, A, B, C>(
  array: S,
  a: Next<S, A>,
  b: Next<A, B>,
  c: Next<B, C>,
): MaybeAsync<C, [A, B, C]>;
export function extendArray<S extends AnyArray, A, B, C, D>(
  array: S,
  a: Next<S, A>,
  b: Next<A, B>,
  c: Next<B, C>,
  d: Next<C, D>,
): MaybeAsync<D, [A, B, C, D]>;
export function extendArray<S extends AnyArray, A, B, C, D, E>(
  array: S,
  a: Next<S, A>,
  b: Next<A, B>,
  c: Next<B, C>,
  d: Next<C, D>,
  e: Next<D, E>,
): MaybeAsync<E, [A, B, C, D, E]>;
/** An array in its extensions, the first of them the innermost. */
export function extendArray(array: AnyArray, ...extensions: AnyExtension[]): unknown {
  return applied(array, extensions);
}

/** The array in the extensions that its store carries. */
export async function inExtensionsOfStore<A extends AnyArray>(array: A): Promise<A> {
  const { arrayExtensions = [] } = array.store as { arrayExtensions?: readonly AnyExtension[] };
  return (await applied(array, arrayExtensions)) as A;
}
