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
  /** The index of the tile. */
  index: {
    /** Its column. */
    x: number;
    /** Its row. */
    y: number;
    /** Its zoom level. */
    z: number;
  };
  /** The box of the tile: in elements of the finest level, or in degrees on a map. */
  bbox:
    | {
        /** Its least x. */
        left: number;
        /** Its least y. */
        top: number;
        /** Its greatest x. */
        right: number;
        /** Its greatest y. */
        bottom: number;
      }
    | {
        /** Its western longitude. */
        west: number;
        /** Its southern latitude. */
        south: number;
        /** Its eastern longitude. */
        east: number;
        /** Its northern latitude. */
        north: number;
      };
  /** Aborts the read. */
  signal?: AbortSignal | undefined;
}

/** A tile: props of a `BitmapLayer`. */
export interface DeckPicture {
  /** The picture. */
  image: ImageData;
  /** Left, bottom, right and top, in the coordinates of the layer. */
  bounds: [left: number, bottom: number, right: number, top: number];
}

/** Props of a `TileLayer`. */
export interface DeckTileProps {
  /** Makes the picture of a tile; null outside of the image. */
  getTileData: (tile: DeckTile) => Promise<DeckPicture | null>;
  /**
   * The side of a tile.
   *
   * @unit pixels
   */
  tileSize: number;
  /** Tiles are requested in this extent only. */
  extent?: [left: number, top: number, right: number, bottom: number];
  /** The lowest zoom at which tiles are requested. */
  minZoom: number;
  /** The highest zoom at which tiles are requested. */
  maxZoom?: number;
}

/** The side of tiles. deck.gl's zoom levels of maps are those of tiles of 512 pixels. */
const IMAGE_TILE = 256;
const MAP_TILE = 512;

const isOnMap = (bbox: DeckTile["bbox"]): bbox is Extract<DeckTile["bbox"], { west: number }> =>
  "west" in bbox;

/**
 * Makes the props of a `TileLayer` in an `OrthographicView`. One unit is one element of the
 * finest level. The first row has y = 0, and y increases downwards. Colours are those of
 * `array.get` with `as: "rgba"`. To draw with other options, make a new layer or change
 * `updateTriggers.getTileData`.
 *
 *     const renderSubLayers = ({ data, ...props }) => new BitmapLayer(props, data);
 *     new TileLayer({ ...imageTiles(image), renderSubLayers });
 *
 * @param pyramid The image.
 * @throws an `UnsupportedError` for a pyramid without axes x and y.
 * @throws an `Argument` error for wrong options.
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
 * Makes the props of a `TileLayer` in a `MapView`. Elements are drawn as by `warp`, on the web's
 * Mercator map. Where the array has no element, pictures are transparent.
 *
 *     const tiles = mapTiles(air, { window: [220, 310], colors: "viridis", proj4 });
 *     new TileLayer({ ...tiles, renderSubLayers });
 *
 * @param pyramid The pyramid, which a reference system places on the map.
 * @throws an `Argument` error for wrong options.
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
