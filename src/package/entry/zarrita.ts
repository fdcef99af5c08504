/** `zarr-wasm/zarrita`: decodes the arrays of zarrita in the workers of this package. */
export { decodeInWorkers, type ZarritaArray } from "../compat/extensions.ts";
