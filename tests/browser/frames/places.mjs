/** The program of a frame with a policy of its own: tells its parent where the engine runs, and that it reads. */
import * as zarr from "/dist/index.js";
import { made } from "./made.mjs";

parent.postMessage({ told: await made(zarr) }, "*");
