/**
 * Lets the light build answer what it can in every test of a process, also in Node and beside the
 * engine: the lane `light` imports it before each file.
 */
import { init } from "zarr-wasm";

await init({ light: true });
