/**
 * `zarr-wasm/slim`: nothing inlined; `init({ wasm, workerUrl })` comes first. Built with `#source`
 * = `source/none.ts`.
 */
export * from "./names.ts";
