/**
 * `zarr-wasm/zip`: ZIP archives, under the name and path that `@zarrita/storage` has it.
 */
export { ZipFileStore, ZipFileStore as default, type ZipFileStoreOptions } from "../store/zip.ts";
