/**
 * `zarr-wasm/zip`: the store of ZIP archives, under the same name and path as in
 * `@zarrita/storage`.
 */
export { ZipFileStore, ZipFileStore as default, type ZipFileStoreOptions } from "../store/zip.ts";
