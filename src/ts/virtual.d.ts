/**
 * Modules that no file holds; `scripts/virtual_modules.mjs` makes them.
 */

/** The engine: its wasm as base64 of a deflate-raw stream, and the worker's whole program as a classic script. */
declare module "virtual:engine-texts" {
  export const wasm: string;
  export const worker: string;
}

/** The full build, likewise. */
declare module "virtual:full-wasm" {
  const text: string;
  export default text;
}

/** The build with decoders of images, likewise. */
declare module "virtual:images-wasm" {
  const text: string;
  export default text;
}

/** What attributes mean, likewise. */
declare module "virtual:conventions-wasm" {
  const text: string;
  export default text;
}
