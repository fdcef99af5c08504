/**
 * `#lazy` of the entries that are one file each. `scripts/lazy.mjs` writes that of the others.
 */
import { chunkFailed } from "../../../engine/ts/port/loading.ts";

export const lazy = () => import("../lazy.ts").catch(chunkFailed);
