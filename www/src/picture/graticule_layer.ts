/**
 * The layer of meridians, parallels and their degrees, which `graticule.ts` computes. They are
 * clipped to the picture, with the degrees at the edges of the view.
 */
import { containsExtent, getIntersection, isEmpty } from "ol/extent.js";
import MultiLineString from "ol/geom/MultiLineString.js";
import PointGeometry from "ol/geom/Point.js";
import VectorLayer from "ol/layer/Vector.js";
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
import {
  type Extent,
  type Globe,
  type GraticuleLine,
  graticuleLabels,
  graticuleLines,
  type Point,
} from "./graticule.js";

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
    return (place: Point) => (transform ? (transform([...place], undefined, 2) as Point) : place);
  };
  return { toMap: between("EPSG:4326", projection), toDegrees: between(projection, "EPSG:4326") };
}

const frameOf = ([left, bottom, right, top]: Extent) =>
  new MultiLineString([
    [
      [left, bottom],
      [right, bottom],
      [right, top],
      [left, top],
      [left, bottom],
    ],
  ]);

function widened([left, bottom, right, top]: Extent, within: Extent): Extent {
  const [across, up] = [(right - left) * AROUND, (top - bottom) * AROUND];
  return getIntersection([left - across, bottom - up, right + across, top + up], [...within]) as Extent;
}

interface Drawn {
  lines: GraticuleLine[];
  geometry: MultiLineString;
  extent: Extent;
  resolution: number;
}

class Lines {
  readonly #globe: Globe;
  readonly #extent: Extent;
  readonly #frame: MultiLineString;
  #drawn: Drawn | null = null;

  constructor(projection: Projection, extent: Extent) {
    [this.#globe, this.#extent, this.#frame] = [globeOf(projection), extent, frameOf(extent)];
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
    for (const { text, place } of graticuleLabels(lines, seen, screen)) {
      context.setStyle(textStyle(text, textHeight));
      context.drawGeometry(new PointGeometry([left + place[0] * resolution, top - place[1] * resolution]));
    }
  }
}

/** The layer of meridians and parallels above a picture. */
export function graticuleLayer(projection: Projection, extent: Extent): VectorLayer {
  const layer = new VectorLayer({ source: new VectorSource(), zIndex: 19 });
  const lines = new Lines(projection, extent);
  layer.on("postrender", (event) => lines.draw(event));
  return layer;
}
