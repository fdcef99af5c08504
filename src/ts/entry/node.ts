/**
 * `zarr-wasm/node`: a store in a folder of the file system, for Node and what imitates it.
 */
export { FileSystemStore } from "../file_system.ts";
