/**
 * `zarr-wasm/zip`: the store of ZIP archives and its readers, under the same names and path as in
 * `@zarrita/storage`.
 */
export {
  ZipFileStore,
  ZipFileStore as default,
  type ZipFileStoreOptions,
  type ZipReader,
} from "../store/zip.ts";
export { BlobReader, HTTPRangeReader } from "../store/zip_readers.ts";
