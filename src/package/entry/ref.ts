/**
 * `zarr-wasm/ref`: the store of kerchunk references, under the same name and path as in
 * `@zarrita/storage`.
 */
export {
  ReferenceStore,
  ReferenceStore as default,
  type ReferenceStoreOptions,
} from "../../api/store/reference.ts";
