/** Finds definitions of reference systems for proj4, which knows few codes. */
import type { Crs, CrsLike } from "zarr-wasm";

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
 * The definition of a reference system: a proj4 string, WKT, or PROJJSON. `forms` has other forms
 * in the metadata. Undefined for a code that is not known here.
 */
export function definitionOf(crs: CrsLike, forms: Partial<Crs> = {}): CrsLike | undefined {
  if (typeof crs !== "string" || !/^\w+:\w+$/.test(crs)) return crs;
  return CODES[crs.toUpperCase()] ?? utmOf(crs) ?? forms.wkt2 ?? forms.projjson;
}
