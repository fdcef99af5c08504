/**
 * A pyramid as a grid layer of Leaflet. The page passes its own Leaflet, so this needs no code of
 * it: an image in a map of `CRS.Simple`, or a layer of a map in any other reference system.
 */
import type { Coords, DoneCallback, GridLayer, GridLayerOptions, Map as LeafletMap } from "leaflet";
import type { Pyramid } from "../../conventions/ts/pyramid_model.ts";
import { optionsOf, type Rules } from "../../engine/ts/model/argument.ts";
import {
  type Box,
  checkPictures,
  MAP_PICTURE_RULES,
  type MapBox,
  type MapPictureOptions,
  mapTile,
  pixelTile,
} from "./pictures.ts";

/** The part of Leaflet that is used. */
export interface LeafletLike {
  /** The class of grid layers. */
  GridLayer: new (
    options?: GridLayerOptions,
  ) => GridLayer;
  /** The reference systems. */
  CRS: {
    /** The reference system of pictures. */
    Simple: unknown;
  };
}

/** Options of `pyramidLayer`. */
export interface LeafletOptions extends MapPictureOptions {
  /** Options of Leaflet's `GridLayer`. Default: Leaflet's. */
  layer?: GridLayerOptions | undefined;
}

const RULES: Rules<LeafletOptions> = { ...MAP_PICTURE_RULES, layer: "an object" };

type Corners = readonly [left: number, top: number, right: number, bottom: number];

/** Returns the corners of a tile in the map's reference system. */
function cornersOf(map: LeafletMap, { x, y, z }: Coords, width: number, height: number): Corners {
  const { crs } = map.options;
  const at = (across: number, down: number) => {
    const point = map.unproject([across * width, down * height], z);
    return crs?.project(point) ?? { x: point.lng, y: point.lat };
  };
  const [first, last] = [at(x, y), at(x + 1, y + 1)];
  return [first.x, first.y, last.x, last.y];
}

/** Draws a box of the finest level's pixels where it lies in a tile. */
async function drawPixels(
  context: CanvasRenderingContext2D,
  pyramid: Pyramid,
  [left, top, right, bottom]: Box,
  options: MapPictureOptions,
  signal: AbortSignal,
): Promise<void> {
  const { width, height } = context.canvas;
  const tile = await pixelTile(pyramid, [left, top, right, bottom], width, options, signal);
  if (!tile) return;
  const picture = await createImageBitmap(tile.image);
  const [across, down] = [width / (right - left), height / (bottom - top)];
  const [west, north, east, south] = tile.bounds;
  context.imageSmoothingEnabled = false;
  const [x, y] = [(west - left) * across, (north - top) * down];
  context.drawImage(picture, x, y, (east - west) * across, (south - north) * down);
}

/**
 * Makes a grid layer that draws a pyramid. In a map of `CRS.Simple`, one unit is one element of the
 * finest level. The first row is at latitude 0, and latitude decreases from row to row. In other
 * maps, `warp` draws the elements, and pixels outside the array are transparent. Tiles that leave
 * the map are aborted. An error is Leaflet's event `tileerror`.
 *
 *     pyramidLayer(L, image, { window: [0, 4000], colors: "viridis" }).addTo(map);
 *
 * @param L Leaflet.
 * @param pyramid The pyramid.
 * @returns the layer.
 * @throws an `Argument` error for wrong options.
 */
export function pyramidLayer(L: LeafletLike, pyramid: Pyramid, options: LeafletOptions = {}): GridLayer {
  const { layer: layerOptions, ...shown } = optionsOf(options, RULES);
  checkPictures(pyramid, shown, MAP_PICTURE_RULES);
  const layer = new L.GridLayer(layerOptions);
  const reading = new WeakMap<HTMLElement, AbortController>();
  const draw = async (canvas: HTMLCanvasElement, coords: Coords, signal: AbortSignal) => {
    const map = (layer as unknown as { _map: LeafletMap })._map;
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    const { width, height } = canvas;
    const [left, top, right, bottom] = cornersOf(map, coords, width, height);
    const { crs } = map.options;
    if (crs === L.CRS.Simple)
      return drawPixels(context, pyramid, [left, -top, right, -bottom], shown, signal);
    const box: MapBox = {
      crs: crs?.code ?? "EPSG:3857",
      extent: [left, bottom, right, top],
      size: [width, height],
    };
    context.putImageData(await mapTile(pyramid, box, shown, signal), 0, 0);
  };
  const createTile = (coords: Coords, done: DoneCallback): HTMLElement => {
    const canvas = document.createElement("canvas");
    const { x, y } = layer.getTileSize();
    [canvas.width, canvas.height] = [x, y];
    const controller = new AbortController();
    reading.set(canvas, controller);
    draw(canvas, coords, controller.signal).then(
      () => done(undefined, canvas),
      (error) => controller.signal.aborted || done(error, canvas),
    );
    return canvas;
  };
  layer.on("tileunload", ({ tile }) => reading.get(tile)?.abort());
  return Object.assign(layer, { createTile });
}
