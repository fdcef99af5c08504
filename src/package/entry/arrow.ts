/** `zarr-wasm/arrow`: results of reads as vectors and tables of Apache Arrow. */
export { type ArrowInput, type ArrowOptions, toTable, toVector } from "../adapter/arrow.ts";
