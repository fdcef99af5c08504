/** A page that is opened from a file. Reports the kind of the engine and the result of a read. */
import * as zarr from "zarr-wasm/inline";
import { made } from "./made.mjs";

window.told = made(zarr);
