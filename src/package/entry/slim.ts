/**
 * `zarr-wasm/slim`: nothing is inlined, so `init({ wasm, workerUrl })` must be called first. Built
 * with `#source` = `source/none.ts`.
 */
export * from "./names.ts";
