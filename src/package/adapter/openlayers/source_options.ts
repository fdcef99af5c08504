/** The options and results of `PyramidSource`. */
import type { ProjectionLike } from "ol/proj.js";
import type { LabelColors } from "../../../api/read/colors.ts";
import type { CfOptions } from "../../../api/read/conversion.ts";
import type { Pyramid } from "../../../conventions/ts/pyramid_model.ts";
import type { LevelPlaces, WarpedMap } from "./placement.ts";

/** Indices by name or role of an axis, in the finest level. */
export type TileAt = Readonly<Record<string, number>>;

export interface PyramidSourceOptions {
  pyramid: Pyramid;
  /** The axes that are drawn across and down. Default: the pyramid's x and y. */
  plane?: { x: number; y: number } | undefined;
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
  /** Warps the array to a map whose rows and columns are not those of the array. */
  warped?: WarpedMap | undefined;
  /**
   * Whether world coordinates grow upwards, as northings do. Default: true if the pyramid has a
   * reference system.
   */
  isUpward?: boolean | undefined;
  projection?: ProjectionLike | undefined;
  /** Unpacks values and masks missing ones by CF's attributes. */
  decode?: "cf" | CfOptions | undefined;
  /**
   * The approximate range of the values. Bands of floats then have shares of it, from 0 to 1, which
   * are exact enough where textures hold 16-bit floats. The styles of this module know it; a style
   * of your own finds it in `bands`. Default: bands have the values themselves.
   */
  range?: readonly [low: number, high: number] | undefined;
  /** Whether elements are labels: each has its own colour, and 0 is transparent. */
  areLabels?: boolean | undefined;
  /** Colours of labels. Those without one have the colour of their number. Default: `"labels"`. */
  labelColors?: LabelColors | undefined;
  /** Size of the caches of elements and of textures, in bytes each. Default: 256 MiB. */
  cacheBytes?: number | undefined;
  /** Number of tiles to prefetch on each side of the view. Default: 1. */
  margin?: number | undefined;
}

export interface TileProgress {
  /**
   * The numbers of requested and of loaded tiles since the source was idle, without those that left
   * the view.
   */
  wanted: number;
  done: number;
}

/** A value of the array and its position. */
export interface TileValue {
  channel: number;
  /** Undefined while its tile is not cached. */
  value: number | bigint | boolean | undefined;
}

export interface TileReading {
  /** The visible level of the pyramid. */
  level: number;
  /**
   * Index in that level's array, by axis. It is -1 for the axis of channels, and for the plane of a
   * warped map until it is read and if there is no element.
   */
  index: number[];
  values: TileValue[];
}
