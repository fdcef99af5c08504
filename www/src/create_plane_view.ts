/**
 * Makes the picture of a plane: on the GPU, or on a plain canvas where the browser offers no WebGL.
 */

import type { PlaneView } from "./plane_view.js";
import type { TileSource } from "./tile_source.js";

export async function createPlaneView(target: HTMLElement, source: TileSource): Promise<PlaneView> {
  const probe = document.createElement("canvas").getContext("webgl2");
  probe?.getExtension("WEBGL_lose_context")?.loseContext();
  if (probe) {
    const { OpenLayersPlaneView } = await import("./plane_view_openlayers.js");
    return new OpenLayersPlaneView(target, source);
  }
  const { CanvasPlaneView } = await import("./plane_view_canvas.js");
  return new CanvasPlaneView(target, source);
}
