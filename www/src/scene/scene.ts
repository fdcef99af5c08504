/**
 * What is shown: a scene is the description of one picture, as plain values. `build_scene.ts` makes
 * it from a node, the picture draws it, the panels change its channels, labels and field style. No
 * DOM, no drawing.
 */
import type * as zarr from "zarr-wasm";
import type { LevelPlace } from "zarr-wasm/openlayers";

export type ArrayNode = zarr.Array<zarr.DataType, zarr.Readable>;
export type GroupNode = zarr.Group<zarr.Readable>;

/** A dimension of the array. Names are unique in a scene. */
export interface SceneAxis {
  name: string;
  role: "x" | "y" | "z" | "t" | "c" | "other";
  /** Of the finest level. */
  length: number;
  /**
   * The index that is shown first: the middle of z, the first of t, or what the metadata ask for.
   */
  start: number;
  unit?: string;
  /** Position in the array of level 0. */
  axis: number;
}

/** A channel of an image, with how it is drawn. */
export interface SceneChannel {
  /** Index along the channel axis; 0 where there is none. */
  index: number;
  name: string;
  /** `#rrggbb`. */
  color: string;
  /** Values that are black and full colour. */
  window: [number, number];
  /** Of the slider: the window stays inside. */
  limits: [number, number];
  /** The power that a place in the window, from 0 to 1, is raised to: below 1 is brighter. */
  gamma: number;
  visible: boolean;
}

/** A label image over the picture. */
export interface SceneLabel {
  path: string;
  name: string;
  visible: boolean;
  /** From 0 to 1. */
  opacity: number;
}

/** How a field's numbers become colours. */
export interface FieldStyle {
  /** A name of `COLORMAPS`. */
  colormap: string;
  /** Values of the first and the last colour. */
  range: [number, number];
  log: boolean;
  reversed: boolean;
}

/** What the plane's coordinates mean. */
export type Space =
  /** Elements are squares. */
  | { kind: "index" }
  /** Lengths of a specimen, in `unit`; empty where the metadata name none. */
  | { kind: "physical"; unit: string }
  /** Degrees east and north. */
  | { kind: "geographic" }
  /**
   * A projected grid: a definition that proj4 reads (its text, WKT, PROJJSON), and a name for
   * people.
   */
  | { kind: "projected"; definition: string | Record<string, unknown>; name: string; unit: string };

/** A map on which rows and columns are not those of the array: the library's `warp` makes it. */
export interface WarpedPlane {
  crs: string;
  /** That of the array's coordinates, unless its metadata are to say it. */
  from?: string;
  /** Left, bottom, right and top. */
  extent: [number, number, number, number];
  /** Columns and rows that tell all that the array does. */
  size: [number, number];
}

/** An array that could be shown in place of this one. */
export interface SceneVariable {
  /** As `buildScene` takes it. */
  variable: string;
  title: string;
}

export interface Scene {
  /** `labels`: ids, each in a colour of its own. */
  kind: "image" | "rgb" | "field" | "labels";
  title: string;
  /** Of the values; empty where nothing says it. */
  unit: string;
  /** Whether values are whole numbers. */
  integer: boolean;
  pyramid: zarr.Pyramid;
  axes: SceneAxis[];
  /** Positions of the axes that are drawn across and down. */
  plane: { x: number; y: number };
  space: Space;
  /**
   * Where each level of the pyramid is on the map, whose y grows upwards; undefined where the
   * pyramid itself says it.
   */
  places?: readonly LevelPlace[];
  warped?: WarpedPlane;
  /** Whether coordinates of y grow upwards, as northings do. */
  isUpward: boolean;
  /** How values are unpacked: as CF's attributes say, or not at all. */
  decode?: { convention: "cf"; zarrFillValue: boolean };
  /** Of an image; the three of an RGB image. Empty of a field, which has a style. */
  channels: SceneChannel[];
  labels: SceneLabel[];
  /** Of a field alone. */
  field?: FieldStyle;
  /** Which variables the group has, this one among them; empty for an array or an image. */
  variables: SceneVariable[];
  variable?: string;
}

export interface SceneOptions {
  signal?: AbortSignal | undefined;
  /** Path below the node of the array to show, where the node is a group of variables. */
  variable?: string | undefined;
  /** Takes elements for ids, where nothing in the node says it. */
  kind?: "labels" | undefined;
  /** Names of the axes to draw, instead of x and y. */
  plane?: { x: string; y: string } | undefined;
}
