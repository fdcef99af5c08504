/** `zarr-wasm/h5web`: hierarchies as data providers of H5Web. */
export { type H5WebOptions, ZarrApi } from "../adapter/h5web.ts";
