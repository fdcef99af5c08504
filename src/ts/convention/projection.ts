/**
 * Transforms places between coordinate reference systems with proj4. The caller passes proj4; this
 * package does not depend on it. Longitude and latitude alone do not need it.
 */
import { UnsupportedError, ZarrError } from "../model/errors.ts";

/** A coordinate reference system: a code, a proj4 or WKT string, or PROJJSON. */
export type CrsLike = string | Record<string, unknown>;

export type Place = readonly [x: number, y: number];

// biome-ignore lint/suspicious/noExplicitAny: only `any` is assignable to proj4's own types
type AnyCrs = any;

/** The used part of proj4's default export. */
export interface Proj4Like {
  (from: AnyCrs, to: AnyCrs): { forward(place: number[]): number[] };
  Proj: new (crs: AnyCrs) => object;
}

/** The transformation of a map's places to the reference system of a source. */
export interface Projection {
  /** Whether the source's x and y are longitudes and latitudes. */
  isGlobe: boolean;
  /** Transforms a place of the map. Undefined if the source's system has no such place. */
  toSource(place: Place): Place | undefined;
}

const DEGREES = /^(EPSG:4326|OGC:CRS84|CRS:84|WGS84|.*\/OGC\/1\.3\/CRS84)$/i;
export const LONLAT = "EPSG:4326";

const isDegrees = (crs: CrsLike) => typeof crs === "string" && DEGREES.test(crs);

/** Other codes, and the beginnings of WKT, of PROJJSON's types and of proj4's strings. */
const GEOGRAPHIC =
  /^\s*(EPSG:(4258|4269|4979)$|GEOGCRS|GEODCRS|GEOGCS|GeographicCRS|GeodeticCRS|\+proj=longlat\b)/i;

/**
 * Whether x and y of a reference system are longitudes and latitudes. It needs no proj4. WKT of a
 * rotated pole is derived from such a system.
 */
export function isGeographic(crs: CrsLike): boolean {
  const text = typeof crs === "string" ? crs : String(crs.type);
  return isDegrees(crs) || (GEOGRAPHIC.test(text) && !text.includes("DERIVINGCONVERSION"));
}

/** Projections in which x depends on longitude alone, so the map repeats beyond its edges. */
const CYLINDERS = ["longlat", "identity", "merc", "eqc", "cea", "mill", "gall"];

/** Largest error of a transformation and its inverse, in degrees. */
const BACK = 1e-4;

const textOf = (crs: CrsLike) => (typeof crs === "string" ? crs : JSON.stringify(crs));
const nameOf = (crs: CrsLike) => textOf(crs).slice(0, 120);

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

/**
 * The transformation from a map to a source. Throws an `Argument` error if it needs proj4, and an
 * `UnsupportedError` for a reference system that proj4 does not know.
 */
export function projectionOf(map: CrsLike, source: CrsLike, proj4: Proj4Like | undefined): Projection {
  if (isDegrees(map) && isDegrees(source)) return { isGlobe: true, toSource: ofLonLat };
  if (!proj4) {
    if (textOf(map) === textOf(source)) return { isGlobe: false, toSource: (place) => place };
    throw new ZarrError("Argument", "this transformation of reference systems requires proj4", {
      expected: 'import proj4 from "proj4"; warp(array, { proj4, … })',
      actual: `${nameOf(source)} → ${nameOf(map)}`,
    });
  }
  const [to, from] = [systemOf(proj4, map, "the map"), systemOf(proj4, source, "the array")];
  const there = proj4(to.crs, from.crs);
  const back = proj4(from.crs, to.crs);
  // Places are compared in the map's units. A degree is about 111 320 m.
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
    // Outside of their domain many projections return another place.
    if (!to.isCylinder && !isBack(place, found)) return undefined;
    return [found[0] as number, found[1] as number];
  };
  return { isGlobe: from.isGlobe, toSource };
}
