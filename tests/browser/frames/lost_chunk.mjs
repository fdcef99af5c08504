/** A frame whose server lacks the engine's chunk. Reports the error to its parent. */
import * as zarr from "/lost/index.js";

const { code, message } = await zarr.open(new Map()).catch((error) => error);
parent.postMessage({ told: { code, message } }, "*");
