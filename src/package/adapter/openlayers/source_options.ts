/** The options and results of `PyramidSource`. */
import type { ProjectionLike } from "ol/proj.js";
import type { LabelColors } from "../../../api/read/colors.ts";
import type { CfOptions } from "../../../api/read/conversion.ts";
import type { Pyramid } from "../../../conventions/ts/pyramid_model.ts";
import type { LevelPlaces, WarpedMap } from "./placement.ts";

/** Indices by name or role of an axis, in the finest level. */
export type TileAt = Readonly<Record<string, number>>;

/** Options of `PyramidSource`. */
export interface PyramidSourceOptions {
  /** The pyramid. */
  pyramid: Pyramid;
  /** The axes that are drawn across and down. Default: the pyramid's x and y. */
  plane?:
    | {
        /** The index of the axis that is drawn across. */
        x: number;
        /** The index of the axis that is drawn down. */
        y: number;
      }
    | undefined;
  /** Indices of the other axes. Default: 0. */
  at?: TileAt | undefined;
  /** The axis of channels; null for none. Default: the pyramid's. */
  channelAxis?: number | null | undefined;
  /**
   * Indices along the channel axis, one per band. Default: the one of `at`, else 0. More than four
   * bands, including the mask, become pictures of the channels in `setMix`.
   */
  channels?: readonly number[] | undefined;
  /** The positions of the levels on the map. Default: those of the pyramid's transforms. */
  places?: LevelPlaces | undefined;
  /**
   * The map, if its rows and columns are not those of the array. Default: they are those of the
   * array.
   */
  warped?: WarpedMap | undefined;
  /**
   * Whether world coordinates grow upwards, as northings do. Default: true if the pyramid has a
   * reference system.
   */
  isUpward?: boolean | undefined;
  /** The projection of the source, as OpenLayers has it. Default: `"EPSG:3857"`. */
  projection?: ProjectionLike | undefined;
  /**
   * `"cf"` unpacks values by CF's attributes, and masks missing ones. Default: values as they are
   * stored.
   */
  decode?: "cf" | CfOptions | undefined;
  /**
   * The approximate range of the values. Bands of floats then have shares of it, from 0 to 1, which
   * are exact enough where textures hold 16-bit floats. The styles of this module know it; a style
   * of your own finds it in `bands`. Default: bands have the values themselves.
   */
  range?: readonly [low: number, high: number] | undefined;
  /** Whether elements are labels: each has its own colour, and 0 is transparent. Default: false. */
  areLabels?: boolean | undefined;
  /** Colours of labels. Those without one have the colour of their number. Default: `"labels"`. */
  labelColors?: LabelColors | undefined;
  /**
   * Size of the cache of elements, and of that of textures. Default: 256 MiB each.
   *
   * @unit bytes
   */
  cacheBytes?: number | undefined;
  /**
   * How far around the view tiles are prefetched, on each side. Default: 1.
   *
   * @unit tiles
   */
  margin?: number | undefined;
}

/**
 * How far the tiles in view are, since the source was idle. Tiles that left the view do not count.
 */
export interface TileProgress {
  /** Number of tiles that were requested. */
  wanted: number;
  /** Number of tiles that are loaded. */
  done: number;
}

/** A value of the array and its position. */
export interface TileValue {
  /** The index along the axis of channels. */
  channel: number;
  /** The value; undefined while its tile is not cached. */
  value: number | bigint | boolean | undefined;
}

/** The values of the array at a point of the map. */
export interface TileReading {
  /** The visible level of the pyramid. */
  level: number;
  /**
   * Index in that level's array, by axis. It is -1 for the axis of channels, and for the plane of a
   * warped map until it is read and if there is no element.
   */
  index: number[];
  /** The values, one for each channel that is drawn. */
  values: TileValue[];
}
