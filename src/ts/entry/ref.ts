/**
 * `zarr-wasm/ref`: references to parts of files, as kerchunk finds them, under the name and path
 * that `@zarrita/storage` has it.
 */
export { ReferenceStore, ReferenceStore as default, type ReferenceStoreOptions } from "../store/reference.ts";
