/** The program of a frame whose server has lost the engine's chunk: tells its parent the error. */
import * as zarr from "/lost/index.js";

const { code, message } = await zarr.open(new Map()).catch((error) => error);
parent.postMessage({ told: { code, message } }, "*");
