/**
 * `zarr-wasm`: everything inlined, nothing to set up. Built with `#source` = `source/inline.ts`.
 */
export * from "./names.ts";
