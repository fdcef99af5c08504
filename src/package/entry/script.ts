/**
 * `zarr-wasm/script`: a classic script, which sets the global `zarr` to all names. It loads the
 * engine from the files beside it. Built with `#source` = `source/beside.ts`.
 */
export * from "./names.ts";
