/**
 * What is known of number types by their names, where there is no description of them
 * (`data_type.ts`). The first script does without it.
 */
import { NUMBER_BITS } from "../../../contract/contract.ts";
import { NUMBER_VIEWS } from "./data_type.ts";

/** The bits of a number type of a kind, by its name. Undefined for other types. */
const bitsOf = (types: Record<string, number>, name: string) =>
  Object.hasOwn(types, name) ? types[name] : undefined;

export const floatBits = (name: string): number | undefined => bitsOf(NUMBER_BITS.float, name);

export function integerOf(name: string): { isSigned: boolean; bits: number } | undefined {
  const signed = bitsOf(NUMBER_BITS.signed, name);
  const bits = signed ?? bitsOf(NUMBER_BITS.unsigned, name);
  return bits === undefined ? undefined : { isSigned: signed !== undefined, bits };
}

/** The lowest and the highest integer of a data type, by its name. Undefined for other types. */
export function integerRange(name: string): [low: number, high: number] | undefined {
  const { isSigned, bits } = integerOf(name) ?? {};
  if (!bits) return undefined;
  const low = isSigned ? -(2 ** (bits - 1)) : 0;
  return [low, low + 2 ** bits - 1];
}

/** The number type with a typed array. Undefined for other classes. */
export const typeOfView = (name: string): string | undefined =>
  Object.entries(NUMBER_VIEWS).find(([, view]) => view === name.replace("Clamped", ""))?.[0];
