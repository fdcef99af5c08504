/**
 * Converts elements to what zarrita's calls return: its own classes for booleans and text of fixed
 * length, and the values of `Array.get` for all else.
 */
import type { TypeDescription } from "../model/data_type.ts";
import { BoolArray, ByteStringArray, UnicodeStringArray } from "../model/wrapper_arrays.ts";
import { scalarOf } from "./elements.ts";
import { aligned } from "./typed_arrays.ts";

type Wrapper = BoolArray | ByteStringArray | UnicodeStringArray;

/** Wraps packed elements in zarrita's class; undefined if it has none for the data type. */
export function wrapperOf(type: TypeDescription, bytes: Uint8Array): Wrapper | undefined {
  const { kind, size = 1, components = 0 } = type;
  if (kind === "bool") return new BoolArray(bytes.buffer, bytes.byteOffset, bytes.length);
  if (kind === "null-terminated-bytes") {
    return new ByteStringArray(size, bytes.buffer, bytes.byteOffset, bytes.length / size);
  }
  if (kind !== "utf32") return undefined;
  const codes = aligned(bytes, 4);
  return new UnicodeStringArray(components, codes.buffer, codes.byteOffset, bytes.length / size);
}

/** Converts one packed element to zarrita's scalar. Text becomes a string. */
export const wrappedScalarOf = (type: TypeDescription, bytes: Uint8Array): unknown =>
  wrapperOf(type, bytes)?.get(0) ?? scalarOf(type, bytes);
