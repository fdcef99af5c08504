/** Which reference systems have longitudes and latitudes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isGeographic } from "./projection.ts";

test("codes, WKT, PROJJSON and proj4 strings of longitudes and latitudes", () => {
  const geographic = [
    "EPSG:4326",
    "OGC:CRS84",
    "EPSG:4258",
    'GEOGCRS["WGS 84", …]',
    'GEOGCS["WGS 84", …]',
    "+proj=longlat +ellps=WGS84 +no_defs",
    { type: "GeographicCRS" },
  ];
  for (const crs of geographic) assert.ok(isGeographic(crs), JSON.stringify(crs));
  const others = [
    "EPSG:32633",
    "EPSG:42580",
    'PROJCRS["a grid", BASEGEOGCRS["WGS 84", …], …]',
    'GEOGCRS["rotated", BASEGEOGCRS["WGS 84", …], DERIVINGCONVERSION["Pole rotation", …], …]',
    "+proj=utm +zone=33 +datum=WGS84",
    { type: "ProjectedCRS" },
    {},
  ];
  for (const crs of others) assert.ok(!isGeographic(crs), JSON.stringify(crs));
});
