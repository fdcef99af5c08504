/** A page that Vite builds. Reports the kind of the engine and the result of a read. */
import { info, open } from "zarr-wasm";
import { made } from "./made.mjs";

window.told = made({ info, open });
