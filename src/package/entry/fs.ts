/**
 * `zarr-wasm/fs`: a folder of the file system, for Node and compatible environments, under the same
 * name and path as in `@zarrita/storage`.
 */
export { FileSystemStore, FileSystemStore as default } from "../../api/store/file_system.ts";
