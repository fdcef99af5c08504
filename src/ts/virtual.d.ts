/**
 * Modules that no file holds; `scripts/virtual_modules.mjs` makes them.
 */

/** The engine: base64 of a deflate-raw stream. */
declare module "virtual:engine-wasm" {
  const text: string;
  export default text;
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

/** A worker's whole program, as a classic script. */
declare module "virtual:worker-source" {
  const text: string;
  export default text;
}
