/**
 * The projection of a map for what a scene's coordinates mean. proj4 is loaded for projected grids
 * alone.
 */

import Projection from "ol/proj/Projection.js";
import { fromLonLat, get as getProjection, toLonLat } from "ol/proj.js";
import type { Space } from "../scene/scene.js";

type Extent = [number, number, number, number];

/** Metres of a unit of length as OME and CF have them. */
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

/** Resolves to the projection of a space, whose pictures cover an extent. */
export async function projectionFor(space: Space, extent: Extent): Promise<Projection> {
  if (space.kind === "projected") {
    const found = await projected(space, extent);
    if (found) return found;
  }
  return plainProjection(space, extent);
}

/** The same for spaces that need no proj4; null where it does. */
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

/** A registered projection; null for a definition that proj4 does not read. */
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
  const world = worldExtent(found, extent);
  if (!world) return null;
  found.setWorldExtent(world);
  return found;
}

/** Places of an extent that are looked at, on each side. */
const SAMPLES = 24;

/** Degrees that an extent reaches over, to whole steps; null where it is nowhere on the globe. */
function worldExtent(projection: Projection, [left, bottom, right, top]: Extent): Extent | null {
  const [longitudes, latitudes]: [number[], number[]] = [[], []];
  for (let at = 0; at < (SAMPLES + 1) ** 2; at += 1) {
    const [across, up] = [(at % (SAMPLES + 1)) / SAMPLES, Math.floor(at / (SAMPLES + 1)) / SAMPLES];
    const place = [left + across * (right - left), bottom + up * (top - bottom)];
    const [longitude = Number.NaN, latitude = Number.NaN] = toLonLat(place, projection);
    if (Number.isFinite(longitude + latitude)) [longitudes[at], latitudes[at]] = [longitude, latitude];
  }
  const [west, east] = [
    Math.min(...longitudes.filter(Number.isFinite)),
    Math.max(...longitudes.filter(Number.isFinite)),
  ];
  const [south, north] = [
    Math.min(...latitudes.filter(Number.isFinite)),
    Math.max(...latitudes.filter(Number.isFinite)),
  ];
  if (!Number.isFinite(west + east + south + north)) return null;
  const hasPole = (latitude: number) => {
    const [x = Number.NaN, y = Number.NaN] = fromLonLat([0, latitude], projection);
    return x > left && x < right && y > bottom && y < top;
  };
  const [hasNorth, hasSouth] = [hasPole(90), hasPole(-90)];
  const step = east - west > 20 ? 10 : east - west > 2 ? 1 : 0.1;
  const isAround = hasNorth || hasSouth || east - west > 180;
  return [
    isAround ? -180 : Math.floor(west / step) * step,
    hasSouth ? -90 : Math.max(Math.floor(south / step) * step, -90),
    isAround ? 180 : Math.ceil(east / step) * step,
    hasNorth ? 90 : Math.min(Math.ceil(north / step) * step, 90),
  ];
}
