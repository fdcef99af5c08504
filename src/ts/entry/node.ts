/**
 * `zarr-wasm/node`: a store in a folder of the file system, for Node and what imitates it.
 */
export { FileSystemStore } from "../store/file_system.ts";
