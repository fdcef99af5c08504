/**
 * `#late` of the entries that are one file each. `scripts/late.mjs` writes that of the others.
 */
import { chunkFailed } from "../../../engine/ts/port/loading.ts";

export const late = () => import("../late.ts").catch(chunkFailed);
