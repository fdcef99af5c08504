/** The size of elements by their data type. */

/** Bytes of an element. Null if elements have no fixed size, or none that is known. */
export function elementBytes(dtype: string): number | null {
  if (dtype === "bool") return 1;
  const bits = /^(?:u?int|b?float|complex)(\d+)/.exec(dtype)?.[1];
  return bits ? Number(bits) / 8 : null;
}
