/** A frame with its own policy. Reports the kind of the engine and a read to its parent. */
import * as zarr from "/dist/index.js";
import { made } from "./made.mjs";

parent.postMessage({ told: await made(zarr) }, "*");
