/**
 * Starts the engine, and loads what pictures need. It decides nothing about what is shown. If it
 * fails, the first call tells why.
 */
import { preload } from "zarr-wasm";

preload({ conventions: true }).catch(() => {});
