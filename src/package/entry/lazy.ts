/**
 * What few pages run: writing, streams, plans, stored sizes, listings of children, codecs of users,
 * files of the machine. It is loaded with `import()` when something needs it: see
 * `scripts/lazy.mjs`.
 */

export { listedChildren } from "../../api/children_listing.ts";
export { boundCodecs, codecsToCreate } from "../../api/codecs.ts";
export { consolidatedStore, containerAt, referencesInArchive } from "../../api/containers.ts";
export { engineCodecEntry } from "../../api/engine_codec.ts";
export { labelWords } from "../../api/read/label_colors.ts";
export { plannedCost } from "../../api/read/plan_cost.ts";
export { readScattered } from "../../api/read/scattered.ts";
export { storedSizes } from "../../api/read/stored_sizes.ts";
export { partsOf } from "../../api/read/stream.ts";
export { treeOf } from "../../api/tree.ts";
export { attributesChange } from "../../api/update_attributes.ts";
export {
  appendValues,
  changing,
  checkResize,
  checkWrite,
  resizeArray,
  writeSelection,
} from "../../api/write/write.ts";
export { HandleFolder, opfsFolder } from "../../engine/ts/files/directory.ts";
export { readFound } from "../../engine/ts/files/folders.ts";
export { NodeFolder, nodeFile } from "../../engine/ts/files/node_folder.ts";
export { collectedOf } from "../../engine/ts/port/listings.ts";
export { getByChunk } from "../compat/by_chunk.ts";
