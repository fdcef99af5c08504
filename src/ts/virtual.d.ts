/**
 * Modules without a file; `scripts/virtual_modules.mjs` makes them.
 */

/**
 * The engine's wasm as base64 of a deflate-raw stream, and the workers' programs as classic
 * scripts.
 */
declare module "virtual:engine-texts" {
  export const wasm: string;
  export const decoder: string;
  export const engine: string;
}

/** The workers' programs alone. */
declare module "virtual:engine-programs" {
  export const decoder: string;
  export const engine: string;
}

/**
 * The wasm of the full build as base64 of a Zstandard frame, with the engine's wasm as prefix.
 */
declare module "virtual:full-wasm" {
  const text: string;
  export default text;
}

/** The wasm of the build with image decoders, in the same form. */
declare module "virtual:images-wasm" {
  const text: string;
  export default text;
}

/** The wasm of the conventions, in the same form. */
declare module "virtual:conventions-wasm" {
  const text: string;
  export default text;
}
