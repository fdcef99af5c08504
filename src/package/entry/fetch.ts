/**
 * `zarr-wasm/fetch`: the HTTP store, under the same name and path as in `@zarrita/storage`.
 */
export { FetchStore, FetchStore as default } from "../store/fetch_store.ts";
export type { FetchStoreOptions } from "../store/http_options.ts";
