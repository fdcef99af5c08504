/** From an opened node to a scene. Reads metadata and, for limits, the coarsest level. */
import * as zarr from "zarr-wasm";
import type { ArrayNode, GroupNode, Scene, SceneOptions } from "./scene.js";

/** Rejects with the library's `NotFoundError` where the node is a group without anything to draw. */
export async function buildScene(_node: ArrayNode | GroupNode, _options: SceneOptions = {}): Promise<Scene> {
  throw new zarr.ZarrError("Unsupported", "scenes come with the next commit");
}
