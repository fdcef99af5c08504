/** The program of a page of the file system: tells where the engine runs, and that it reads. */
import * as zarr from "zarr-wasm/inline";
import { made } from "./made.mjs";

window.told = made(zarr);
