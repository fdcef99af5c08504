/** The program of a page that Vite builds: tells where the engine runs, and that it reads. */
import { info, open } from "zarr-wasm";
import { made } from "./made.mjs";

window.told = made({ info, open });
