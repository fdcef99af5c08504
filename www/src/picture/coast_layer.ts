/**
 * Draws coast lines for orientation: Natural Earth, public domain, 1:110 million, from the package
 * world-atlas. They are clipped to the picture.
 */
import Feature from "ol/Feature.js";
import TopoJSON from "ol/format/TopoJSON.js";
import MultiLineString from "ol/geom/MultiLineString.js";
import type MultiPolygon from "ol/geom/MultiPolygon.js";
import VectorLayer from "ol/layer/Vector.js";
import type Projection from "ol/proj/Projection.js";
import { getTransform } from "ol/proj.js";
import VectorSource from "ol/source/Vector.js";
import Stroke from "ol/style/Stroke.js";
import Style from "ol/style/Style.js";

type Point = [number, number];
type Extent = readonly [number, number, number, number];
type Transform = (point: Point) => Point;

/** A dark line on a light one, which is visible on every colour. */
const COAST = [
  new Style({ stroke: new Stroke({ color: "rgba(255, 255, 255, 0.6)", width: 2 }) }),
  new Style({ stroke: new Stroke({ color: "rgba(20, 24, 28, 0.85)", width: 0.8 }) }),
];

/** The data are cut at the antimeridian and at the pole. These edges are not coasts. */
const isCut = ([longitude, latitude]: Point) => Math.abs(longitude) > 179.9 || latitude < -89.9;

/**
 * How far beyond the picture lines are kept, in widths of the picture. A projection may put the
 * other side of the globe anywhere.
 */
const REACH = 1;

/**
 * The lines of a ring in map coordinates. They are broken where they leave the surroundings of the
 * picture or jump across it.
 */
export function linesOf(ring: readonly Point[], transform: Transform, extent: Extent): Point[][] {
  const [left, bottom, right, top] = extent;
  const [width, height] = [right - left, top - bottom];
  const isNear = ([x, y]: Point) =>
    x >= left - REACH * width &&
    x <= right + REACH * width &&
    y >= bottom - REACH * height &&
    y <= top + REACH * height;
  const lines: Point[][] = [];
  let line: Point[] = [];
  let last: Point | null = null;
  const end = () => {
    if (line.length > 1) lines.push(line);
    line = [];
  };
  for (const [at, point] of ring.entries()) {
    const place = transform(point);
    const before = ring[at - 1];
    const isEdge = before !== undefined && isCut(before) && isCut(point);
    const isJump =
      last !== null &&
      (Math.abs(place[0] - last[0]) > width / 2 || Math.abs(place[1] - last[1]) > height / 2);
    if (!isNear(place) || isEdge || isJump) end();
    if (isNear(place)) line.push(place);
    last = place;
  }
  end();
  return lines;
}

/** The rings of land in degrees. */
async function landRings(): Promise<Point[][]> {
  const { default: world } = await import("world-atlas/land-110m.json");
  const features = new TopoJSON().readFeatures(world);
  return features.flatMap((feature) => {
    const geometry = feature.getGeometry() as MultiPolygon;
    return geometry.getCoordinates().flat() as Point[][];
  });
}

/** The turns of the globe that an extent in degrees touches. */
function turnsOf(projection: Projection, [left, , right]: Extent): number[] {
  if (projection.getCode() !== "EPSG:4326") return [0];
  return [-360, 0, 360].filter((turn) => left < turn + 180 && right > turn - 180);
}

/** The layer of coast lines above a picture. */
export async function coastLayer(projection: Projection, extent: Extent): Promise<VectorLayer> {
  const rings = await landRings();
  const project = getTransform("EPSG:4326", projection) ?? ((point: number[]) => point);
  const lines = turnsOf(projection, extent).flatMap((turn) => {
    const transform: Transform = (point) => {
      const [x = Number.NaN, y = Number.NaN] = project([...point], undefined, 2);
      return [x + turn, y];
    };
    return rings.flatMap((ring) => linesOf(ring, transform, extent));
  });
  const source = new VectorSource({ features: [new Feature(new MultiLineString(lines))] });
  return new VectorLayer({ source, style: COAST, zIndex: 20, extent: [...extent] });
}
