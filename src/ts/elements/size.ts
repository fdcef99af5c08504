/**
 * Sizes that are guessed where nobody knows them.
 */

/**
 * Bytes that an element with a length of its own is taken for where it matters what a read costs.
 */
export const VARIABLE_SIZE = 32;
