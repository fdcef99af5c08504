/**
 * A pyramid as the data of deck.gl's `TileLayer`: pictures for its `BitmapLayer`, in pixels of the
 * finest level or on a web map. It needs no code of deck.gl.
 */
import { needPlane } from "../../conventions/ts/pyramid_level.ts";
import type { Pyramid } from "../../conventions/ts/pyramid_model.ts";
import {
  type Box,
  checkPictures,
  MAP_PICTURE_RULES,
  type MapPictureOptions,
  mapTile,
  PICTURE_RULES,
  type PictureOptions,
  pixelTile,
  webMapBox,
} from "./pictures.ts";

/** The part of deck.gl's `TileLoadProps` that is used. */
export interface DeckTile {
  index: { x: number; y: number; z: number };
  bbox:
    | { left: number; top: number; right: number; bottom: number }
    | { west: number; south: number; east: number; north: number };
  signal?: AbortSignal | undefined;
}

/** A tile: props of a `BitmapLayer`. */
export interface DeckPicture {
  image: ImageData;
  /** Left, bottom, right and top, in the coordinates of the layer. */
  bounds: [left: number, bottom: number, right: number, top: number];
}

/** Props of a `TileLayer`. */
export interface DeckTileProps {
  getTileData: (tile: DeckTile) => Promise<DeckPicture | null>;
  /** The side of a tile in pixels. */
  tileSize: number;
  /** Tiles are requested in this extent only. */
  extent?: [left: number, top: number, right: number, bottom: number];
  minZoom: number;
  maxZoom?: number;
}

/** The side of tiles. deck.gl's zoom levels of maps are those of tiles of 512 pixels. */
const IMAGE_TILE = 256;
const MAP_TILE = 512;

const isOnMap = (bbox: DeckTile["bbox"]): bbox is Extract<DeckTile["bbox"], { west: number }> =>
  "west" in bbox;

/**
 * Returns the props of a `TileLayer` in an `OrthographicView`. One unit is one element of the
 * finest level. The first row has y = 0, and y increases downwards. Colours are those of
 * `array.get` with `as: "rgba"`. To draw with other options, make a new layer or change
 * `updateTriggers.getTileData`.
 *
 *     const renderSubLayers = ({ data, ...props }) => new BitmapLayer(props, data);
 *     new TileLayer({ ...imageTiles(image), renderSubLayers });
 */
export function imageTiles(pyramid: Pyramid, options: PictureOptions = {}): DeckTileProps {
  const [plane, { levels }] = [needPlane(pyramid), pyramid];
  checkPictures(pyramid, options, PICTURE_RULES);
  const [width = 0, height = 0] = [levels[0]?.shape[plane.x], levels[0]?.shape[plane.y]];
  const getTileData = async ({ bbox, signal }: DeckTile): Promise<DeckPicture | null> => {
    if (isOnMap(bbox)) throw new TypeError("imageTiles requires an OrthographicView; a map takes mapTiles");
    const box: Box = [bbox.left, bbox.top, bbox.right, bbox.bottom];
    const tile = await pixelTile(pyramid, box, IMAGE_TILE, options, signal);
    if (!tile) return null;
    const [left, top, right, bottom] = tile.bounds;
    return { image: tile.image, bounds: [left, bottom, right, top] };
  };
  const minZoom = Math.min(0, -Math.ceil(Math.log2(Math.max(width, height) / IMAGE_TILE)));
  return { getTileData, tileSize: IMAGE_TILE, extent: [0, 0, width, height], minZoom, maxZoom: 0 };
}

/**
 * Returns the props of a `TileLayer` in a `MapView`. Elements are drawn as by `warp`, on the web's
 * Mercator map. Where the array has no element, pictures are transparent.
 *
 *     const tiles = mapTiles(air, { window: [220, 310], colors: "viridis", proj4 });
 *     new TileLayer({ ...tiles, renderSubLayers });
 */
export function mapTiles(pyramid: Pyramid, options: MapPictureOptions = {}): DeckTileProps {
  checkPictures(pyramid, options, MAP_PICTURE_RULES);
  const getTileData = async ({ index, bbox, signal }: DeckTile): Promise<DeckPicture> => {
    if (!isOnMap(bbox)) throw new TypeError("mapTiles requires a MapView; a picture takes imageTiles");
    const image = await mapTile(pyramid, webMapBox(index, MAP_TILE), options, signal);
    return { image, bounds: [bbox.west, bbox.south, bbox.east, bbox.north] };
  };
  return { getTileData, tileSize: MAP_TILE, minZoom: 0 };
}
