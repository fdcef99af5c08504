/**
 * `zarr-wasm/node`: a store over a folder of the file system, for Node and compatible environments.
 */
export { FileSystemStore } from "../store/file_system.ts";
