/**
 * Converts CF grid mappings to proj4 strings. It uses their attributes, with the names of CF's
 * appendix F. It is for grid mappings without WKT.
 */
import { object } from "../model/argument.ts";
import type { Attributes } from "../model/types.ts";

type Words = Record<string, number | string | undefined>;

/** A number, or the number at a place of a list. */
function numberOf(value: unknown, at = 0): number | undefined {
  const one = globalThis.Array.isArray(value) ? value[at] : at === 0 ? value : undefined;
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

/** The proj4 string of a grid mapping. Undefined if its projection is not in the table. */
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
