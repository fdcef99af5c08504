/**
 * Makes the OpenLayers projection of a scene's coordinates. proj4 is loaded only for projected
 * grids.
 */

import Projection from "ol/proj/Projection.js";
import { get as getProjection, toLonLat } from "ol/proj.js";
import type { Space } from "../scene/scene.js";

type Extent = [number, number, number, number];

/** The factors from units of length in OME and CF to metres. */
const METERS: [pattern: RegExp, meters: number][] = [
  [/^(m|met(er|re)s?)$/i, 1],
  [/^(km|kilomet(er|re)s?)$/i, 1000],
  [/^(cm|centimet(er|re)s?)$/i, 1e-2],
  [/^(mm|millimet(er|re)s?)$/i, 1e-3],
  [/^(um|µm|μm|micron|micromet(er|re)s?)$/i, 1e-6],
  [/^(nm|nanomet(er|re)s?)$/i, 1e-9],
  [/^(Å|angstroms?)$/i, 1e-10],
];

export const metersOf = (unit: string): number | undefined =>
  METERS.find(([pattern]) => pattern.test(unit))?.[1];

let registered = 0;

/** Resolves to the projection of a space with this extent. */
export async function projectionFor(space: Space, extent: Extent): Promise<Projection> {
  if (space.kind === "projected") {
    const found = await projected(space, extent);
    if (found) return found;
  }
  return plainProjection(space, extent);
}

/** The projection of a space without proj4. Null if it needs proj4. */
export function plainProjection(space: Space, extent: Extent): Projection {
  const geographic = space.kind === "geographic" ? getProjection("EPSG:4326") : null;
  if (geographic) return geographic;
  const metersPerUnit =
    space.kind === "physical" || space.kind === "projected" ? metersOf(space.unit) : undefined;
  return new Projection({
    code: "plane",
    units: metersPerUnit === undefined ? "pixels" : "m",
    extent,
    ...(metersPerUnit === undefined ? {} : { metersPerUnit }),
  });
}

/** Registers a projection. Null for a definition that proj4 cannot read. */
async function projected(space: Space & { kind: "projected" }, extent: Extent): Promise<Projection | null> {
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

/** Number of sampled places along each side of an extent. */
const SAMPLES = 8;

/** Whether an extent has a place on the globe. */
function isOnGlobe(projection: Projection, [left, bottom, right, top]: Extent): boolean {
  const shares = Array.from({ length: SAMPLES + 1 }, (_, at) => at / SAMPLES);
  return shares.some((across) =>
    shares.some((up) =>
      toLonLat([left + across * (right - left), bottom + up * (top - bottom)], projection).every(
        Number.isFinite,
      ),
    ),
  );
}
