/**
 * Applies the array extensions of a store: `open` wraps the store's arrays in them.
 */
import { needFunction } from "../model/argument.ts";
import type { DataType, Readable } from "../model/types.ts";
import type { Array as ZarrArray } from "./array.ts";

type AnyExtension = (value: never) => unknown;

/** Applies extensions to a value, the innermost first. Returns a promise if one of them does. */
export function applied(value: unknown, extensions: readonly AnyExtension[]): unknown {
  for (const extension of extensions) needFunction(extension, "extension");
  return extensions.reduce<unknown>(
    (inner, extension) =>
      inner instanceof Promise
        ? inner.then((settled) => extension(settled as never))
        : extension(inner as never),
    value,
  );
}

/** Applies the array extensions of the array's store. */
export async function inExtensionsOfStore<A extends ZarrArray<DataType, Readable>>(array: A): Promise<A> {
  const { arrayExtensions = [] } = array.store as { arrayExtensions?: readonly AnyExtension[] };
  return (await applied(array, arrayExtensions)) as A;
}
