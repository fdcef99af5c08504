/**
 * Starts the engine, and loads what pictures need. It has no part in what is shown: if it fails, the
 * first call tells why.
 */
import { preload } from "zarr-wasm";

preload({ conventions: true }).catch(() => {});
