/**
 * The layers of lines above a map, clipped to the picture: coast lines for orientation (Natural
 * Earth, public domain, 1:110 million, from the package world-atlas), and meridians and parallels,
 * which `graticule.ts` computes, with their degrees at the edges of the view.
 */
import { containsExtent, getIntersection, isEmpty } from "ol/extent.js";
import Feature from "ol/Feature.js";
import TopoJSON from "ol/format/TopoJSON.js";
import MultiLineString from "ol/geom/MultiLineString.js";
import type MultiPolygon from "ol/geom/MultiPolygon.js";
import PointGeometry from "ol/geom/Point.js";
import { fromExtent, type default as Polygon } from "ol/geom/Polygon.js";
import VectorLayer from "ol/layer/Vector.js";
import type OpenLayersMap from "ol/Map.js";
import type Projection from "ol/proj/Projection.js";
import { getTransform, type ProjectionLike } from "ol/proj.js";
import type RenderEvent from "ol/render/Event.js";
import { getVectorContext } from "ol/render.js";
import VectorSource from "ol/source/Vector.js";
import Fill from "ol/style/Fill.js";
import Stroke from "ol/style/Stroke.js";
import Style from "ol/style/Style.js";
import Text from "ol/style/Text.js";
import ViewHint from "ol/ViewHint.js";
import world from "world-atlas/land-110m.json";
import {
  clippedTo,
  type Extent,
  type Globe,
  type GraticuleLine,
  graticuleLabels,
  graticuleLines,
  type Point,
} from "./graticule.js";

/** Which lines are shown. */
export interface VisibleLines {
  coast: boolean;
  graticule: boolean;
}

/** A dark line on a light one, which is visible on every colour. */
const COAST = [
  new Style({ stroke: new Stroke({ color: "rgba(255, 255, 255, 0.6)", width: 2 }) }),
  new Style({ stroke: new Stroke({ color: "rgba(20, 24, 28, 0.85)", width: 0.8 }) }),
];

const LINE = new Style({ stroke: new Stroke({ color: "rgba(120, 130, 140, 0.55)", width: 1 }) });
const FRAME = new Style({ stroke: new Stroke({ color: "rgba(120, 130, 140, 0.9)", width: 1 }) });

/** The font size relative to that of the page. */
const TEXT_SHARE = 11 / 16;
/** Margin around the view with lines, in views, so that panning needs no new lines. */
const AROUND = 0.5;

const textStyle = (text: string, height: number): Style =>
  new Style({
    text: new Text({
      text,
      font: `${height}px system-ui, sans-serif`,
      textBaseline: "middle",
      fill: new Fill({ color: "rgba(20, 24, 28, 0.95)" }),
      stroke: new Stroke({ color: "rgba(255, 255, 255, 0.85)", width: 3 }),
    }),
  });

/** Without a projection, map coordinates are degrees. */
function globeOf(projection: Projection): Globe {
  const between = (from: ProjectionLike, to: ProjectionLike) => {
    const transform = getTransform(from, to);
    return (point: Point) => (transform ? (transform([...point], undefined, 2) as Point) : point);
  };
  return { toMap: between("EPSG:4326", projection), toDegrees: between(projection, "EPSG:4326") };
}

function widened([left, bottom, right, top]: Extent, within: Extent): Extent {
  const [across, up] = [(right - left) * AROUND, (top - bottom) * AROUND];
  return getIntersection([left - across, bottom - up, right + across, top + up], [...within]) as Extent;
}

/** The lines of a view with what is around it. */
interface Drawn {
  lines: GraticuleLine[];
  geometry: MultiLineString;
  extent: Extent;
  resolution: number;
}

class Graticule {
  readonly #globe: Globe;
  readonly #extent: Extent;
  readonly #frame: Polygon;
  #drawn: Drawn | null = null;

  constructor(projection: Projection, extent: Extent) {
    [this.#globe, this.#extent, this.#frame] = [globeOf(projection), extent, fromExtent(extent)];
  }

  /** The lines for a view: the last ones if they cover it. */
  #of(seen: Extent, resolution: number, isMoving: boolean): Drawn {
    const drawn = this.#drawn;
    const isRight = drawn && (isMoving || drawn.resolution === resolution);
    if (isRight && containsExtent(drawn.extent, seen)) return drawn;
    const extent = widened(seen, this.#extent);
    const lines = graticuleLines(extent, this.#globe, resolution);
    const geometry = new MultiLineString(lines.flatMap(({ parts }) => parts));
    this.#drawn = { lines, geometry, extent, resolution };
    return this.#drawn;
  }

  draw(event: RenderEvent): void {
    const { frameState } = event;
    if (!frameState?.extent) return;
    const { resolution } = frameState.viewState;
    const seen = getIntersection([...this.#extent], frameState.extent) as Extent;
    if (isEmpty(seen)) return;
    const { viewHints } = frameState;
    const isMoving = (viewHints[ViewHint.ANIMATING] ?? 0) + (viewHints[ViewHint.INTERACTING] ?? 0) > 0;
    const { lines, geometry } = this.#of(seen, resolution, isMoving);
    const context = getVectorContext(event);
    context.setStyle(LINE);
    context.drawGeometry(geometry);
    context.setStyle(FRAME);
    context.drawGeometry(this.#frame);
    const [left, bottom, right, top] = seen;
    const textHeight = TEXT_SHARE * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    const screen = { width: (right - left) / resolution, height: (top - bottom) / resolution, textHeight };
    for (const { text, point } of graticuleLabels(lines, seen, screen)) {
      context.setStyle(textStyle(text, textHeight));
      context.drawGeometry(new PointGeometry([left + point[0] * resolution, top - point[1] * resolution]));
    }
  }
}

/** The data are cut at the antimeridian and at the pole. These edges are not coasts. */
const isCut = ([longitude, latitude]: Point) => Math.abs(longitude) > 179.9 || latitude < -89.9;

/** A ring in degrees without the edges that are not coasts. */
function coastsOf(ring: readonly Point[]): Point[][] {
  const coasts: Point[][] = [];
  for (const [at, point] of ring.entries()) {
    const before = ring[at - 1];
    if (!before || (isCut(before) && isCut(point))) coasts.push([]);
    coasts.at(-1)?.push(point);
  }
  return coasts;
}

/** The turns of the globe that an extent in degrees touches. */
function turnsOf(projection: Projection, [left, , right]: Extent): number[] {
  if (projection.getCode() !== "EPSG:4326") return [0];
  return [-360, 0, 360].filter((turn) => left < turn + 180 && right > turn - 180);
}

/** The coasts in degrees. They are read once, because reading changes the document. */
const COASTS = new TopoJSON()
  .readFeatures(world)
  .flatMap((feature) => (feature.getGeometry() as MultiPolygon).getCoordinates().flat() as Point[][])
  .flatMap(coastsOf);

/** Coast lines. They are broken where they jump across the picture. */
function coastLines(projection: Projection, extent: Extent): Point[][] {
  const { toMap } = globeOf(projection);
  const coasts = COASTS.map((coast) => coast.map(toMap));
  return turnsOf(projection, extent).flatMap((turn) =>
    coasts.flatMap((coast) =>
      clippedTo(
        coast.map(([x, y]) => [x + turn, y]),
        extent,
      ),
    ),
  );
}

/** The lines above a picture. */
export class MapLines {
  readonly #layers: Record<keyof VisibleLines, VectorLayer>;

  constructor(map: OpenLayersMap, projection: Projection, extent: Extent) {
    const features = [new Feature(new MultiLineString(coastLines(projection, extent)))];
    const coast = new VectorLayer({
      source: new VectorSource({ features }),
      style: COAST,
      zIndex: 20,
      extent,
    });
    const graticule = new VectorLayer({ source: new VectorSource(), zIndex: 19 });
    const lines = new Graticule(projection, extent);
    graticule.on("postrender", (event) => lines.draw(event));
    this.#layers = { coast, graticule };
    for (const layer of Object.values(this.#layers)) map.addLayer(layer);
  }

  show({ coast, graticule }: VisibleLines): void {
    this.#layers.coast.setVisible(coast);
    this.#layers.graticule.setVisible(graticule);
  }
}
