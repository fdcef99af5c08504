/**
 * The assumed size of elements whose size is not known.
 */

/** Assumed size in bytes of an element of variable length, for estimates of the cost of a read. */
export const VARIABLE_SIZE = 32;
