/**
 * Reference systems, by proj4, which the caller gives: this package does not depend on it.
 * Longitudes and latitudes alone need none.
 */
import { UnsupportedError, ZarrError } from "../model/errors.ts";

/** A reference system: a code, a text that proj4 reads (its own or WKT), or PROJJSON. */
export type CrsLike = string | Record<string, unknown>;

export type Place = readonly [x: number, y: number];

// biome-ignore lint/suspicious/noExplicitAny: proj4 declares types of its own, which only `any` accepts
type AnyCrs = any;

/** The part of proj4's default export that is used. */
export interface Proj4Like {
  (from: AnyCrs, to: AnyCrs): { forward(place: number[]): number[] };
  Proj: new (crs: AnyCrs) => object;
}

/**
 * From one reference system to another, both ways; a place that the other one has not is undefined.
 */
export interface Projection {
  /** Whether the source's x and y are longitudes and latitudes. */
  isGlobe: boolean;
  /** From a place of the map to one of the source. */
  toSource(place: Place): Place | undefined;
}

const DEGREES = /^(EPSG:4326|OGC:CRS84|CRS:84|WGS84|.*\/OGC\/1\.3\/CRS84)$/i;
export const LONLAT = "EPSG:4326";

const isDegrees = (crs: CrsLike) => typeof crs === "string" && DEGREES.test(crs);

/** Maps on which x alone is longitude: beyond their edge they go on from the other one. */
const CYLINDERS = ["longlat", "identity", "merc", "eqc", "cea", "mill", "gall"];

/** How far off a place may be that was taken there and back, in degrees. */
const BACK = 1e-4;

const nameOf = (crs: CrsLike) => (typeof crs === "string" ? crs : JSON.stringify(crs)).slice(0, 120);

const isNear = (a: number, b: number, unit: number) => Math.abs(a - b) <= unit;

interface System {
  crs: unknown;
  isGlobe: boolean;
  isCylinder: boolean;
}

function systemOf(proj4: Proj4Like, crs: CrsLike, what: string): System {
  const known = isDegrees(crs) ? LONLAT : crs;
  try {
    const { projName: name = "" } = new proj4.Proj(known) as { projName?: string };
    const isGlobe = name === "longlat" || name === "identity";
    return { crs: known, isGlobe, isCylinder: CYLINDERS.includes(name) };
  } catch (cause) {
    throw new UnsupportedError(`the reference system ${nameOf(crs)} of ${what}`, {
      expected: "a code that proj4 knows (proj4.defs adds one), a text that it reads, or PROJJSON",
      cause,
    });
  }
}

const isPlace = (place: readonly number[]): boolean => place.slice(0, 2).every(Number.isFinite);

function ofLonLat([x, y]: Place): Place | undefined {
  return Number.isFinite(x) && Math.abs(y) <= 90 ? [x, y] : undefined;
}

/** From the places of a map to those of a source. */
export function projectionOf(map: CrsLike, source: CrsLike, proj4: Proj4Like | undefined): Projection {
  if (isDegrees(map) && isDegrees(source)) return { isGlobe: true, toSource: ofLonLat };
  if (!proj4) {
    if (nameOf(map) === nameOf(source)) return { isGlobe: false, toSource: (place) => place };
    throw new ZarrError("Argument", "other reference systems than longitude and latitude need proj4", {
      expected: 'import proj4 from "proj4"; warp(array, { proj4, … })',
      actual: `${nameOf(source)} → ${nameOf(map)}`,
    });
  }
  const [to, from] = [systemOf(proj4, map, "the map"), systemOf(proj4, source, "the array")];
  const there = proj4(to.crs, from.crs);
  const back = proj4(from.crs, to.crs);
  // A reference point of the size of the map's units: places are compared in them.
  const unit = to.isGlobe ? BACK : BACK * 111_320;
  const isBack = (place: Place, found: number[]) => {
    const returned = back.forward([...found]);
    return (
      isNear(returned[0] ?? Number.NaN, place[0], unit) && isNear(returned[1] ?? Number.NaN, place[1], unit)
    );
  };
  const toSource = (place: Place): Place | undefined => {
    if (to.isGlobe && Math.abs(place[1]) > 90) return undefined;
    const found = there.forward([...place]);
    if (!isPlace(found)) return undefined;
    // Beyond the edge of the world many projections answer with another place of it.
    if (!to.isCylinder && !isBack(place, found)) return undefined;
    return [found[0] as number, found[1] as number];
  };
  return { isGlobe: from.isGlobe, toSource };
}
