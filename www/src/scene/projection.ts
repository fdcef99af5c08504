/** Finds the coordinate reference system in a form for proj4: its text, WKT, or PROJJSON. */
import * as zarr from "zarr-wasm";
import type { ArrayNode } from "./scene.js";

export interface ProjectionText {
  /** A proj4 or WKT string, or PROJJSON as an object. */
  definition: string | Record<string, unknown>;
  name: string;
}

type Attributes = Readonly<Record<string, unknown>>;

const isGeographicCode = (code: string) => /^(EPSG:(4326|4258|4269|4979)|OGC:CRS84)$/i.test(code);

/** Common codes of gridded data that proj4 does not include. */
const CODES: Record<string, string> = {
  "EPSG:3031": "+proj=stere +lat_0=-90 +lat_ts=-71 +lon_0=0 +datum=WGS84 +units=m",
  "EPSG:3413": "+proj=stere +lat_0=90 +lat_ts=70 +lon_0=-45 +datum=WGS84 +units=m",
  "EPSG:3995": "+proj=stere +lat_0=90 +lat_ts=71 +lon_0=0 +datum=WGS84 +units=m",
  "EPSG:3408": "+proj=laea +lat_0=90 +lon_0=0 +R=6371228 +units=m",
  "EPSG:6931": "+proj=laea +lat_0=90 +lon_0=0 +datum=WGS84 +units=m",
  "EPSG:6932": "+proj=laea +lat_0=-90 +lon_0=0 +datum=WGS84 +units=m",
  "EPSG:6933": "+proj=cea +lat_ts=30 +lon_0=0 +datum=WGS84 +units=m",
  "EPSG:3035": "+proj=laea +lat_0=52 +lon_0=10 +x_0=4321000 +y_0=3210000 +ellps=GRS80 +units=m",
  "EPSG:3034":
    "+proj=lcc +lat_0=52 +lon_0=10 +lat_1=35 +lat_2=65 +x_0=4000000 +y_0=2800000 +ellps=GRS80 +units=m",
  "EPSG:5070": "+proj=aea +lat_0=23 +lon_0=-96 +lat_1=29.5 +lat_2=45.5 +datum=NAD83 +units=m",
  "EPSG:3857":
    "+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +x_0=0 +y_0=0 +k=1 +units=m +nadgrids=@null",
  "EPSG:2154":
    "+proj=lcc +lat_0=46.5 +lon_0=3 +lat_1=49 +lat_2=44 +x_0=700000 +y_0=6600000 +ellps=GRS80 +units=m",
  "EPSG:27700":
    "+proj=tmerc +lat_0=49 +lon_0=-2 +k=0.9996012717 +x_0=400000 +y_0=-100000 +ellps=airy +towgs84=446.448,-125.157,542.06,0.15,0.247,0.842,-20.489 +units=m",
};

/** The zones of UTM for WGS 84 and ETRS 89. */
function utmOf(code: string): string | undefined {
  const [, system = "", zone = ""] = /^EPSG:(326|327|258)(\d\d)$/i.exec(code) ?? [];
  if (system === "" || Number(zone) < 1 || Number(zone) > 60) return undefined;
  const datum = system === "258" ? "+ellps=GRS80" : "+datum=WGS84";
  return `+proj=utm +zone=${Number(zone)}${system === "327" ? " +south" : ""} ${datum} +units=m`;
}

/**
 * The reference system of a pyramid: `geographic` for degrees, undefined for an unknown one.
 */
export function projectionOf({ code, wkt2, projjson }: zarr.Crs): ProjectionText | "geographic" | undefined {
  if (code && isGeographicCode(code)) return "geographic";
  const type =
    typeof projjson?.type === "string" ? projjson.type : (/^\s*([A-Z]+)/i.exec(wkt2 ?? "")?.[1] ?? "");
  if (/^(Geographic|Geodetic|GEOGCRS|GEODCRS|GEOGCS)/i.test(type)) return "geographic";
  const name = code ?? String(projjson?.name ?? /^\s*\w+\["([^"]+)"/.exec(wkt2 ?? "")?.[1] ?? "projected");
  const known = code ? (CODES[code.toUpperCase()] ?? utmOf(code)) : undefined;
  const definition = known ?? wkt2 ?? projjson;
  return definition ? { definition, name } : undefined;
}

/** The reference system of a CF grid mapping. Undefined for an unknown one. */
export function projectionOfGridMapping(attrs: Attributes): ProjectionText | "geographic" | undefined {
  const name = String(attrs.grid_mapping_name ?? "");
  if (name === "latitude_longitude") return "geographic";
  const definition = zarr.projOfGridMapping(attrs) ?? attrs.crs_wkt ?? attrs.spatial_ref;
  const title = name === "" ? "projected" : name.replaceAll("_", " ");
  return typeof definition === "string" && definition !== "" ? { definition, name: title } : undefined;
}

/** The attributes of an array's grid mapping. Undefined if it has none. */
export async function gridMappingOf(
  array: ArrayNode,
  signal: AbortSignal | undefined,
): Promise<Attributes | undefined> {
  const written = array.attrs.grid_mapping;
  // The attribute may also name coordinates, as in "crs: x y".
  const name = typeof written === "string" ? /^[\w./-]+/.exec(written)?.[0] : undefined;
  if (!name) return undefined;
  const folder = array.path.slice(0, array.path.lastIndexOf("/"));
  try {
    return (await zarr.open(array.store, { path: `${folder}/${name}`, signal })).attrs;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof zarr.ZarrError) return undefined;
    throw error;
  }
}
