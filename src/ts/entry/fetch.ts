/**
 * `zarr-wasm/fetch`: the HTTP store, under the name and path that `@zarrita/storage` has it.
 */
export { FetchStore, FetchStore as default } from "../store/fetch_store.ts";
export type { FetchStoreOptions } from "../store/http_options.ts";
