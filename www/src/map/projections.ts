/**
 * Makes the OpenLayers projection of a scene's coordinates. proj4 is loaded only for projected
 * grids.
 */

import ScaleLine from "ol/control/ScaleLine.js";
import Projection from "ol/proj/Projection.js";
import { get as getProjection, toLonLat } from "ol/proj.js";
import type { MapExtent } from "zarr-wasm/openlayers";
import type { Space } from "../model/scene/scene.js";
import { unitText } from "../model/scene/value_text.js";

/** The units of length in metres, by their printed forms. */
const METERS: Record<string, number> = {
  km: 1000,
  m: 1,
  cm: 1e-2,
  mm: 1e-3,
  µm: 1e-6,
  nm: 1e-9,
  Å: 1e-10,
};

let registered = 0;

/** The projection of a space with this extent. A promise only for projected grids, with proj4. */
export function projectionOf(space: Space, extent: MapExtent): Projection | Promise<Projection> {
  const plain = plainProjection(space, extent);
  return space.kind === "projected" ? projected(space, extent).then((found) => found ?? plain) : plain;
}

/** The projection of a space without proj4. */
function plainProjection(space: Space, extent: MapExtent): Projection {
  const geographic = space.kind === "geographic" ? getProjection("EPSG:4326") : null;
  if (geographic) return geographic;
  const metersPerUnit = "unit" in space ? METERS[unitText(space.unit)] : undefined;
  const units = metersPerUnit === undefined ? "pixels" : "m";
  return new Projection({ code: "plane", units, extent, metersPerUnit });
}

/** The scale bar as text of the page. Null if the map's unit is not a length. */
export function scaleBar(projection: Projection): ScaleLine | null {
  const hasLength = projection.getUnits() !== "pixels" && projection.getMetersPerUnit() !== undefined;
  return hasLength ? new ScaleLine({ className: "scale-bar", units: "metric", minWidth: 72 }) : null;
}

/** Registers a projection. Null for a definition that proj4 cannot read. */
async function projected(
  space: Space & { kind: "projected" },
  extent: MapExtent,
): Promise<Projection | null> {
  const [{ default: proj4 }, { register }] = await Promise.all([import("proj4"), import("ol/proj/proj4.js")]);
  registered += 1;
  const code = `scene:${registered}`;
  try {
    proj4.defs(code, space.definition as string);
    register(proj4);
  } catch {
    return null;
  }
  const found = getProjection(code);
  if (!found) return null;
  found.setExtent(extent);
  return isOnGlobe(found, extent) ? found : null;
}

/** Number of sampled points along each side of an extent. */
const SAMPLES = 8;

/** Whether an extent lies on the globe. */
function isOnGlobe(projection: Projection, [left, bottom, right, top]: MapExtent): boolean {
  const shares = Array.from({ length: SAMPLES + 1 }, (_, at) => at / SAMPLES);
  return shares.some((across) =>
    shares.some((up) =>
      toLonLat([left + across * (right - left), bottom + up * (top - bottom)], projection).every(
        Number.isFinite,
      ),
    ),
  );
}
