/**
 * `zarr-wasm/fetch`: the HTTP store, under the same name and path as in `@zarrita/storage`.
 */
export { FetchStore, FetchStore as default } from "../../api/store/fetch_store.ts";
export type { FetchStoreOptions } from "../../api/store/http_options.ts";
