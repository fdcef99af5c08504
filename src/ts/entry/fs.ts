/**
 * `zarr-wasm/fs`: a folder of the file system, for Node and what imitates it, under the name and
 * path that `@zarrita/storage` has it.
 */
export { FileSystemStore, FileSystemStore as default } from "../store/file_system.ts";
