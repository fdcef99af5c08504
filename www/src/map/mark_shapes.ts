/**
 * Marks as shapes on the map: their geometries, their styles, and a layer that only shows them.
 * `tools/plots/mark_layer.ts` has the layer on which they are drawn and dragged.
 */

import { boundingExtent } from "ol/extent.js";
import Feature from "ol/Feature.js";
import type Geometry from "ol/geom/Geometry.js";
import LineString from "ol/geom/LineString.js";
import Point from "ol/geom/Point.js";
import Polygon, { fromExtent } from "ol/geom/Polygon.js";
import VectorLayer from "ol/layer/Vector.js";
import VectorSource from "ol/source/Vector.js";
import CircleStyle from "ol/style/Circle.js";
import Fill from "ol/style/Fill.js";
import Stroke from "ol/style/Stroke.js";
import Style from "ol/style/Style.js";
import { colorOf, type Mark, type MarkKind, type Position } from "../model/state/marks.js";

/** White below the colour, so that marks are visible on every picture. */
export function stylesOf(color: string): Style[] {
  const fill = new Fill({ color: `${color}22` });
  const stroke = (width: number, own: string) => new Stroke({ color: own, width, lineJoin: "round" });
  const pin = new CircleStyle({ radius: 7, fill: new Fill({ color }), stroke: stroke(2.5, "#ffffff") });
  return [
    new Style({ stroke: stroke(5, "rgba(255, 255, 255, 0.85)") }),
    new Style({ stroke: stroke(2.5, color), fill, image: pin }),
  ];
}

export function geometryOf({
  kind,
  positions,
}: {
  kind: MarkKind;
  positions: readonly Position[];
}): Geometry {
  const line = positions.map((position) => [...position]);
  const [first = [0, 0]] = line;
  if (kind === "point" || line.length < 2) return new Point(first);
  if (kind === "box") return fromExtent(boundingExtent(line));
  return kind === "line" || line.length < 3 ? new LineString(line) : new Polygon([[...line, first]]);
}

/** The shape of a mark, in its colour. */
export function shapeOf(mark: Mark): Feature<Geometry> {
  const feature = new Feature(geometryOf(mark));
  feature.setStyle(stylesOf(colorOf(mark)));
  return feature;
}

/** A layer of marks that stay where they are. Null if there are none. */
export const marksLayer = (marks: readonly Mark[]): VectorLayer | null =>
  marks.length > 0
    ? new VectorLayer({ source: new VectorSource({ wrapX: false, features: marks.map(shapeOf) }) })
    : null;
