/**
 * The picture of a plane: what the rest of the page may ask of it, whichever way it is drawn.
 *
 * OpenLayers draws on the GPU; a plain canvas where the browser offers no WebGL.
 */

import type { Colour } from "./colour_map.js";
import type { Range } from "./contrast.js";
import type { Box } from "./tile_grid.js";
import type { TileSource } from "./tile_source.js";

/** Middle of the view in elements of the plane, and how many CSS pixels one element takes. */
export interface Camera {
  x: number;
  y: number;
  scale: number;
}

export interface Place {
  x: number;
  y: number;
}

export interface PlaneView {
  /** Draws the plane that the tile source has turned to; the camera starts from the whole plane when none is given. */
  showPlane(camera?: Camera): void;
  setContrast(range: Range): void;
  setColours(colours: readonly Colour[]): void;
  camera(): Camera;
  /** Shows as much of the plane as the limit on tiles in view lets it. */
  fit(): void;
  zoomBy(factor: number): void;
  /** The tiles in view, as columns and rows. */
  visibleTiles(): Box;
  onCamera: (camera: Camera) => void;
  /** The element under the pointer, or null when it left the plane. */
  onPointer: (place: Place | null) => void;
  /** How the picture is drawn, for the status bar. */
  readonly drawnBy: string;
}

/** More tiles than this are never in view at once: a plane of a million chunks must not become a million reads. */
export const TILES_IN_VIEW = 240;

/** The smallest scale at which a view of this size stays within the limit on tiles. */
export function smallestScale(source: TileSource, width: number, height: number): number {
  const grid = source.grid;
  if (!grid || width <= 0 || height <= 0) return 1;
  const { plane, tile, columns, rows } = grid;
  const inView = (scale: number) =>
    Math.min(columns, width / (scale * tile.width) + 1) * Math.min(rows, height / (scale * tile.height) + 1);
  let scale = Math.min(width / plane.width, height / plane.height) / 2;
  while (inView(scale) > TILES_IN_VIEW) scale *= 1.2;
  return scale;
}

/** The camera that shows the whole plane, or its middle when the whole would be too many tiles. */
export function fittingCamera(source: TileSource, width: number, height: number): Camera {
  const plane = source.grid?.plane ?? { width: 1, height: 1 };
  const whole = Math.min(width / plane.width, height / plane.height) * 0.96;
  const scale = Math.max(whole, smallestScale(source, width, height));
  return { x: plane.width / 2, y: plane.height / 2, scale: Number.isFinite(scale) && scale > 0 ? scale : 1 };
}
