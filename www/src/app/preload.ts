/**
 * The first script of the page: starts the engine and loads what pictures need, while the rest of
 * the page loads. It decides nothing about what is shown. If it fails, the first call tells why.
 */
import { preload } from "zarr-wasm";

preload({ conventions: true }).catch(() => {});
