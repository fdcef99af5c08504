/**
 * Extensions of arrays that a store carries: `open` wraps its arrays in them.
 */
import type { DataType, Readable } from "../model/types.ts";
import type { Array as ZarrArray } from "./array.ts";

type AnyExtension = (value: never) => unknown;

/** A value in extensions, the first of them the innermost; a promise where one of them gave one. */
export function applied(value: unknown, extensions: readonly AnyExtension[]): unknown {
  return extensions.reduce<unknown>(
    (inner, extension) =>
      inner instanceof Promise
        ? inner.then((settled) => extension(settled as never))
        : extension(inner as never),
    value,
  );
}

/** The array in the extensions that its store carries. */
export async function inExtensionsOfStore<A extends ZarrArray<DataType, Readable>>(array: A): Promise<A> {
  const { arrayExtensions = [] } = array.store as { arrayExtensions?: readonly AnyExtension[] };
  return (await applied(array, arrayExtensions)) as A;
}
