/**
 * `zarr-wasm/zip`: the store of ZIP archives and its readers, under the same names and path as in
 * `@zarrita/storage`.
 */

export {
  ZipFileStore,
  ZipFileStore as default,
  type ZipFileStoreOptions,
  type ZipReader,
} from "../../api/store/zip.ts";
export { BlobReader, HTTPRangeReader } from "../compat/zip_readers.ts";
