/** A page that Vite builds. Reports the engine's place and the result of a read. */
import { info, open } from "zarr-wasm";
import { made } from "./made.mjs";

window.told = made({ info, open });
