/**
 * The marks above the picture: pins, lines, boxes and polygons in their colours, which can be
 * drawn, and dragged. It knows positions of the map only.
 */

import Feature from "ol/Feature.js";
import type Geometry from "ol/geom/Geometry.js";
import LineString from "ol/geom/LineString.js";
import Point from "ol/geom/Point.js";
import type Polygon from "ol/geom/Polygon.js";
import Draw, { createBox } from "ol/interaction/Draw.js";
import Modify from "ol/interaction/Modify.js";
import VectorLayer from "ol/layer/Vector.js";
import type OpenLayersMap from "ol/Map.js";
import VectorSource from "ol/source/Vector.js";
import CircleStyle from "ol/style/Circle.js";
import Stroke from "ol/style/Stroke.js";
import Style from "ol/style/Style.js";
import { geometryOf, shapeOf, stylesOf } from "../../map/mark_shapes.js";
import type { Mark, MarkKind, Position } from "../../model/state/marks.js";

const SKETCH = "#ffffff";

/** What can be dragged under the pointer. */
const HANDLE = new Style({
  image: new CircleStyle({ radius: 10, stroke: new Stroke({ color: "rgba(255, 255, 255, 0.9)", width: 2 }) }),
});

const positionOf = ([x = 0, y = 0]: readonly number[]): Position => [x, y];

/** The positions of a mark with this geometry. */
function positionsOf(kind: MarkKind, geometry: Geometry): Position[] {
  if (geometry instanceof Point) return [positionOf(geometry.getCoordinates())];
  if (geometry instanceof LineString) return geometry.getCoordinates().map(positionOf);
  const [left = 0, bottom = 0, right = 0, top = 0] = geometry.getExtent();
  if (kind === "box")
    return [
      [left, bottom],
      [right, top],
    ];
  return ((geometry as Polygon).getCoordinates()[0] ?? []).slice(0, -1).map(positionOf);
}

const DRAWN = { point: "Point", line: "LineString", box: "Circle", polygon: "Polygon" } as const;

export class MarkLayer {
  /** The user has drawn a mark. */
  onDraw: (kind: MarkKind, positions: readonly Position[]) => void = () => {};
  /** The user has dragged a mark or a part of it. */
  onMove: (slot: number, positions: readonly Position[]) => void = () => {};

  readonly #map: OpenLayersMap;
  readonly #source = new VectorSource({ wrapX: false });
  readonly #modify = new Modify({ source: this.#source, pixelTolerance: 12, style: HANDLE, wrapX: false });
  /** A mark that is drawn with the keyboard. */
  readonly #sketch = new Feature<Geometry>();
  #draw: Draw | null = null;
  #features = new Map<number, { mark: Mark; feature: Feature<Geometry> }>();

  constructor(map: OpenLayersMap) {
    this.#map = map;
    this.#sketch.setStyle(stylesOf(SKETCH));
    // A layer that is not in the map's list stays above all others, and a new picture keeps it.
    new VectorLayer({ source: this.#source }).setMap(map);
    map.addInteraction(this.#modify);
    this.#modify.on("modifyend", () => {
      for (const { mark, feature } of this.#features.values()) {
        const positions = positionsOf(mark.kind, feature.getGeometry() as Geometry);
        if (positions.join() !== mark.positions.join()) this.onMove(mark.slot, positions);
      }
    });
  }

  show(marks: readonly Mark[]): void {
    for (const [slot, { mark, feature }] of this.#features) {
      if (marks.includes(mark)) continue;
      this.#source.removeFeature(feature);
      this.#features.delete(slot);
    }
    for (const mark of marks) {
      if (this.#features.get(mark.slot)?.mark === mark) continue;
      const feature = shapeOf(mark);
      this.#source.addFeature(feature);
      this.#features.set(mark.slot, { mark, feature });
    }
  }

  /** Lets the user draw a mark of this kind; null for none. */
  setTool(kind: MarkKind | null): void {
    if (this.#draw) this.#map.removeInteraction(this.#draw);
    this.#draw = null;
    this.#modify.setActive(kind === null);
    if (!kind) return;
    const geometryFunction = kind === "box" ? createBox() : undefined;
    const draw = new Draw({
      type: DRAWN[kind],
      geometryFunction,
      style: stylesOf(SKETCH),
      stopClick: true,
      wrapX: false,
    });
    draw.on("drawend", ({ feature }) => {
      const geometry = feature.getGeometry();
      if (geometry) this.onDraw(kind, positionsOf(kind, geometry));
    });
    this.#map.addInteraction(draw);
    this.#draw = draw;
  }

  /**
   * Shows the positions of a mark that is being drawn with the keyboard; none if there are none.
   */
  sketch(kind: MarkKind, positions: readonly Position[]): void {
    this.#source.removeFeature(this.#sketch);
    if (positions.length === 0) return;
    this.#sketch.setGeometry(geometryOf({ kind, positions }));
    this.#source.addFeature(this.#sketch);
  }
}
