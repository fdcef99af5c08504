/**
 * The scale bar as text of the page. It is shown if the map's unit is a length.
 */
import ScaleLine from "ol/control/ScaleLine.js";
import type Projection from "ol/proj/Projection.js";

export function scaleBar(projection: Projection): ScaleLine | null {
  const hasLength = projection.getUnits() !== "pixels" && projection.getMetersPerUnit() !== undefined;
  return hasLength ? new ScaleLine({ className: "scale-bar", units: "metric", minWidth: 72 }) : null;
}
