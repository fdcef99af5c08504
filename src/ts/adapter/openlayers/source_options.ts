/** What a `PyramidSource` takes, and what it tells. */
import type { ProjectionLike } from "ol/proj.js";
import type { CfOptions } from "../../api/read/packing.ts";
import type { Pyramid } from "../../convention/pyramid_model.ts";
import type { LevelPlaces } from "./placement.ts";
import type { WarpedMap } from "./warped_tiles.ts";

/** Index by name or role of an axis. */
export type TileAt = Readonly<Record<string, number>>;

export interface PyramidSourceOptions {
  pyramid: Pyramid;
  /** Which axes are drawn across and down; the pyramid's x and y unless given. */
  plane?: { x: number; y: number };
  /** Which index of the other axes; 0 unless given. */
  at?: TileAt;
  /** Which axis has channels; the pyramid's unless given, null for none. */
  channelAxis?: number | null;
  /**
   * Indices along the channel axis, each a band; 0 alone unless given. More than four, missing
   * values counted as one, become pictures of the channels that `setMix` names.
   */
  channels?: readonly number[];
  /** Where the levels are on the map; where the pyramid has them unless given. */
  places?: LevelPlaces;
  /** Draws a map on which rows and columns are not those of the array. */
  warped?: WarpedMap;
  /**
   * Whether world coordinates grow upwards, as northings do; downwards unless given or the pyramid
   * names a reference system.
   */
  isUpward?: boolean;
  projection?: ProjectionLike;
  /** Unpacks values and masks what is missing, as CF's attributes say. */
  decode?: "cf" | CfOptions;
  /** Elements are ids: each has a colour of its own, 0 has none. */
  areLabels?: boolean;
  /** Bytes of decoded tiles that are kept, and of textures; 256 MiB each unless given. */
  cacheBytes?: number;
  /** Tiles around the view that are read when nothing else is; 1 unless given. */
  margin?: number;
}

export interface TileProgress {
  /**
   * Tiles asked for since nothing was under way, and those of them that are there; what left the
   * view counts in neither.
   */
  wanted: number;
  done: number;
}

/** A value of the array, and where it is. */
export interface TileValue {
  channel: number;
  /** undefined while its tile is not at hand. */
  value: number | bigint | boolean | undefined;
}

export interface TileReading {
  /** The pyramid's level on show. */
  level: number;
  /**
   * Place in that level's array, by axis; -1 for the axis of channels, and for the plane of a
   * warped map until it is read, or where it has no element.
   */
  index: number[];
  values: TileValue[];
}
