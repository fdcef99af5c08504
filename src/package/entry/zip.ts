/**
 * `zarr-wasm/zip`: the store of ZIP archives and its readers, under the same names and path as in
 * `@zarrita/storage`.
 */

export { BlobReader, HTTPRangeReader } from "../compat/zip_readers.ts";
export {
  ZipFileStore,
  ZipFileStore as default,
  type ZipFileStoreOptions,
  type ZipReader,
} from "../store/zip.ts";
