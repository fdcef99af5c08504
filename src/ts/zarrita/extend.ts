/**
 * `extendStore` and `extendArray` apply several extensions in order. The result is a promise if one
 * of them returns one.
 */

import type { Array as ZarrArray } from "../api/array.ts";
import { applied } from "../api/array_extensions.ts";
import { needReadable } from "../model/argument.ts";
import type { AsyncReadable, DataType, Readable } from "../model/types.ts";

type AnyExtension = (value: never) => unknown;

/** The last result; a promise if any result is one. */
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

/** Applies extensions to a store, the innermost first. */
export const extendStore = ((store: AsyncReadable, ...extensions: AnyExtension[]) => {
  needReadable(store, "store");
  return applied(store, extensions);
}) as Extend<AsyncReadable>;

type AnyArray = ZarrArray<DataType, Readable>;

/** Applies extensions to an array, the innermost first. */
export const extendArray = ((array: AnyArray, ...extensions: AnyExtension[]) => {
  needReadable(array, "array");
  return applied(array, extensions);
}) as Extend<AnyArray>;
