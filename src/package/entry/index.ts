/**
 * `zarr-wasm`: everything is inlined, and no setup is needed. Built with `#source` =
 * `source/inline.ts`.
 */
export * from "./names.ts";
