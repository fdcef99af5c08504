/**
 * Transforms positions between coordinate reference systems with proj4. The caller passes proj4;
 * this package does not depend on it. Longitude and latitude alone do not need it. CF's grid
 * mappings without WKT become proj4 strings, by the names of CF's appendix F.
 */
import { object } from "../../engine/ts/model/argument.ts";
import { UnsupportedError, ZarrError } from "../../engine/ts/model/errors.ts";
import type { Attributes } from "../../engine/ts/model/types.ts";

/** A coordinate reference system: a code, a proj4 or WKT string, or PROJJSON. */
export type CrsLike = string | Record<string, unknown>;

export type Position = readonly [x: number, y: number];

// biome-ignore lint/suspicious/noExplicitAny: only `any` is assignable to proj4's own types
type AnyCrs = any;

/** The used part of proj4's default export. */
export interface Proj4Like {
  /** Makes the transformation from one reference system to another. */
  (from: AnyCrs, to: AnyCrs): { forward(position: number[]): number[] };
  /** The class of reference systems. */
  Proj: new (
    crs: AnyCrs,
  ) => object;
}

/** The transformation of a map's positions to the reference system of a source. */
export interface Projection {
  /** Whether the source's x and y are longitudes and latitudes. */
  isGlobe: boolean;
  /** Transforms a position of the map. Undefined if the source's system has no such position. */
  toSource(position: Position): Position | undefined;
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

/** The forms of a reference system that the metadata gives. */
interface Forms {
  readonly code?: string;
  readonly wkt2?: string;
  readonly projjson?: Record<string, unknown>;
  /** CF's name of the projection. */
  readonly gridMapping?: string;
}

/** Whether x and y of a pyramid's reference system are longitudes and latitudes. */
export function hasDegrees(crs: Forms | undefined): boolean {
  const said = crs?.code ?? crs?.wkt2 ?? crs?.projjson;
  return said === undefined ? crs?.gridMapping === "latitude_longitude" : isGeographic(said);
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

const isPosition = (position: readonly number[]): boolean => position.slice(0, 2).every(Number.isFinite);

function ofLonLat([x, y]: Position): Position | undefined {
  return Number.isFinite(x) && Math.abs(y) <= 90 ? [x, y] : undefined;
}

/**
 * The transformation from a map to a source. Throws an `Argument` error if it needs proj4, and an
 * `UnsupportedError` for a reference system that proj4 does not know.
 */
export function projectionOf(map: CrsLike, source: CrsLike, proj4: Proj4Like | undefined): Projection {
  if (isDegrees(map) && isDegrees(source)) return { isGlobe: true, toSource: ofLonLat };
  if (!proj4) {
    if (textOf(map) === textOf(source)) return { isGlobe: false, toSource: (position) => position };
    throw new ZarrError("Argument", "this transformation of reference systems requires proj4", {
      expected: 'import proj4 from "proj4"; warp(array, { proj4, … })',
      actual: `${nameOf(source)} → ${nameOf(map)}`,
    });
  }
  const [to, from] = [systemOf(proj4, map, "the map"), systemOf(proj4, source, "the array")];
  const there = proj4(to.crs, from.crs);
  const back = proj4(from.crs, to.crs);
  // Positions are compared in the map's units. A degree is about 111 320 m.
  const unit = to.isGlobe ? BACK : BACK * 111_320;
  const isBack = (position: Position, found: number[]) => {
    const returned = back.forward([...found]);
    return (
      isNear(returned[0] ?? Number.NaN, position[0], unit) &&
      isNear(returned[1] ?? Number.NaN, position[1], unit)
    );
  };
  const toSource = (position: Position): Position | undefined => {
    if (to.isGlobe && Math.abs(position[1]) > 90) return undefined;
    const found = there.forward([...position]);
    if (!isPosition(found)) return undefined;
    // Outside of their domain many projections return another position.
    if (!to.isCylinder && !isBack(position, found)) return undefined;
    return [found[0] as number, found[1] as number];
  };
  return { isGlobe: from.isGlobe, toSource };
}

type Words = Record<string, number | string | undefined>;

/** A number, or the number at an index of a list. */
function numberOf(value: unknown, at = 0): number | undefined {
  const list: readonly unknown[] = globalThis.Array.isArray(value) ? value : [value];
  const one = list[at];
  return typeof one === "number" && Number.isFinite(one) ? one : undefined;
}

const origin = (attrs: Attributes): Words => ({
  lat_0: numberOf(attrs.latitude_of_projection_origin),
  lon_0:
    numberOf(attrs.longitude_of_projection_origin) ??
    numberOf(attrs.longitude_of_central_meridian) ??
    numberOf(attrs.straight_vertical_longitude_from_pole),
});

const parallels = ({ standard_parallel }: Attributes): Words => ({
  lat_1: numberOf(standard_parallel),
  lat_2: numberOf(standard_parallel, 1),
});

const scaled = (attrs: Attributes): Words => ({
  lat_ts: numberOf(attrs.standard_parallel),
  k: numberOf(attrs.scale_factor_at_projection_origin) ?? numberOf(attrs.scale_factor_at_central_meridian),
});

const PROJECTIONS: Record<string, (attrs: Attributes) => Words> = {
  latitude_longitude: () => ({ proj: "longlat" }),
  rotated_latitude_longitude: (attrs) => ({
    proj: "ob_tran",
    o_proj: "longlat",
    o_lat_p: numberOf(attrs.grid_north_pole_latitude),
    o_lon_p: numberOf(attrs.north_pole_grid_longitude) ?? 0,
    lon_0: (numberOf(attrs.grid_north_pole_longitude) ?? 0) + 180,
  }),
  lambert_conformal_conic: (attrs) => ({ proj: "lcc", ...origin(attrs), ...parallels(attrs) }),
  albers_conical_equal_area: (attrs) => ({ proj: "aea", ...origin(attrs), ...parallels(attrs) }),
  lambert_azimuthal_equal_area: (attrs) => ({ proj: "laea", ...origin(attrs) }),
  polar_stereographic: (attrs) => {
    const { lat_0, lon_0 } = origin(attrs);
    const scale = scaled(attrs);
    const side = Number(lat_0 ?? scale.lat_ts ?? 90) < 0 ? -90 : 90;
    return { proj: "stere", lon_0, ...scale, lat_0: side };
  },
  stereographic: (attrs) => ({ proj: "stere", ...origin(attrs), ...scaled(attrs) }),
  transverse_mercator: (attrs) => ({ proj: "tmerc", ...origin(attrs), ...scaled(attrs) }),
  mercator: (attrs) => ({ proj: "merc", ...origin(attrs), ...scaled(attrs) }),
  lambert_cylindrical_equal_area: (attrs) => ({ proj: "cea", ...origin(attrs), ...scaled(attrs) }),
  sinusoidal: (attrs) => ({ proj: "sinu", ...origin(attrs) }),
  orthographic: (attrs) => ({ proj: "ortho", ...origin(attrs) }),
};

/** The shape of the Earth. Default: WGS 84. */
function ellipsoid(attrs: Attributes): Words {
  const R = numberOf(attrs.earth_radius);
  if (R !== undefined) return { R };
  const [a, b, rf] = [attrs.semi_major_axis, attrs.semi_minor_axis, attrs.inverse_flattening].map((value) =>
    numberOf(value),
  );
  if (a === undefined) return { ellps: "WGS84" };
  return rf === undefined || rf === 0 ? { a, b: b ?? a } : { a, rf };
}

/**
 * Makes the proj4 string of CF's grid mapping. Its names are those of CF's appendix F.
 *
 *     projOfGridMapping({ grid_mapping_name: "mercator", earth_radius: 6371000 });
 *
 * @param attrs The attributes of the grid mapping.
 * @returns the string; undefined for a projection that is not known.
 */
export function projOfGridMapping(attrs: Attributes): string | undefined {
  object(attrs, "attributes");
  const name = String(attrs.grid_mapping_name);
  const words = Object.hasOwn(PROJECTIONS, name) ? PROJECTIONS[name]?.(attrs) : undefined;
  if (!words) return undefined;
  const shift = { x_0: numberOf(attrs.false_easting), y_0: numberOf(attrs.false_northing) };
  const all = Object.entries({ ...words, ...shift, ...ellipsoid(attrs), no_defs: "" });
  const said = all.filter(([, value]) => value !== undefined);
  return said.map(([key, value]) => (value === "" ? `+${key}` : `+${key}=${value}`)).join(" ");
}
