/**
 * `zarr-wasm/fetch`: the HTTP store, under the name and path that `@zarrita/storage` has it.
 */
export { FetchStore, FetchStore as default, type FetchStoreOptions } from "../store/native_store.ts";
