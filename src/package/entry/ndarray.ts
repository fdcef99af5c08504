/** `zarr-wasm/ndarray`: results of reads as `ndarray`s. */
export { type Elements, toNdarray } from "../adapter/ndarray.ts";
