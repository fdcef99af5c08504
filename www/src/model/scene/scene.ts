/**
 * A scene: the description of one picture as plain values. `build_scene.ts` makes it from a node,
 * the picture draws it, and the panels change its channels, labels and field style. It has no DOM
 * and draws nothing.
 */
import type * as zarr from "zarr-wasm";
import type { LevelPlace } from "zarr-wasm/openlayers";

export type ArrayNode = zarr.Array<zarr.DataType, zarr.Readable>;
export type GroupNode = zarr.Group<zarr.Readable>;

/** The indices of the horizontal and the vertical axis. */
export interface Plane {
  x: number;
  y: number;
}

/** A dimension of the array. Names are unique in a scene. */
export interface SceneAxis {
  name: string;
  role: "x" | "y" | "z" | "t" | "c" | "other";
  /** The length in the finest level. */
  length: number;
  /**
   * The first index to show: the middle of z, the first of t, or that in the metadata.
   */
  start: number;
  /** OME's type, such as `space`. */
  type?: string;
  unit?: string;
  /** The index of the axis in the array of level 0. */
  axis: number;
  /** The axis that has its coordinates, if the array was computed from others. */
  original?: { scene: Scene; axis: number };
}

/** A scene before it is known how it looks. */
export interface UnstyledScene {
  pyramid: zarr.Pyramid;
  /** The array of the finest level. */
  array: ArrayNode;
  axes: SceneAxis[];
  plane: Plane;
  /** Whether values are integers. */
  integer: boolean;
  /** Whether the metadata asks for a grey picture of one channel. */
  isGray: boolean;
  signal?: AbortSignal;
}

/** A channel of an image, and how it is drawn. */
export interface SceneChannel {
  /** The index along the channel axis; 0 if there is none. */
  index: number;
  name: string;
  /** `#rrggbb`. */
  color: string;
  /** The values that are drawn black and in full colour. */
  window: [number, number];
  /** The range of the sliders, which contains the window. */
  limits: [number, number];
  /** The exponent for positions in the window, from 0 to 1. Below 1 is brighter. */
  gamma: number;
  visible: boolean;
}

/** A label image above the picture. */
export interface SceneLabel {
  path: string;
  name: string;
  visible: boolean;
  /** The opacity from 0 to 1. */
  opacity: number;
}

/** A property that the metadata gives a label, as text. */
export interface LabelProperty {
  name: string;
  text: string;
}

/** What the metadata tells of labels. */
export interface LabelFacts {
  colors: zarr.LabelColors;
  /** `#rrggbbaa` by label, of those that have a colour of their own. */
  colorOf: ReadonlyMap<string, string>;
  propertiesOf: ReadonlyMap<string, readonly LabelProperty[]>;
}

/** The colours of a field. */
export interface FieldStyle {
  /** A name of `COLORMAPS`. */
  colormap: string;
  /** The values of the first and the last colour. */
  range: [number, number];
  log: boolean;
  reversed: boolean;
}

/**
 * Where a picture is looked at: a centre in map coordinates, whose y grows upwards, and map units
 * per CSS pixel.
 */
export interface Camera {
  x: number;
  y: number;
  resolution: number;
}

/** The meaning of the plane's coordinates. */
export type Space =
  /** Indices. Elements are squares. */
  | { kind: "index" }
  /** Lengths of a specimen in `unit`, which is empty if it is unknown. */
  | { kind: "physical"; unit: string }
  /** Degrees east and north. */
  | { kind: "geographic" }
  /** A projected grid, with a definition for proj4: its text, WKT or PROJJSON. */
  | { kind: "projected"; definition: zarr.CrsLike; unit: string };

/** A map whose rows and columns are not those of the array. The package's `warp` makes it. */
export interface WarpedPlane {
  crs: string;
  /** The reference system of the array's coordinates, if the metadata does not give it. */
  from?: string;
  /** Left, bottom, right and top. */
  extent: [number, number, number, number];
  /** Columns and rows of a map in the array's full resolution. */
  size: [number, number];
}

/** Another array that can be shown. */
export interface SceneVariable {
  /** The option `variable` of `buildScene`. */
  variable: string;
  title: string;
}

export interface Scene extends Omit<UnstyledScene, "signal" | "isGray"> {
  /** `labels`: labels with one colour each. */
  kind: "image" | "rgb" | "field" | "labels";
  /** What the metadata tells of labels, if the elements are labels. */
  labelFacts?: LabelFacts;
  title: string;
  /** The unit of the values; empty if it is unknown. */
  unit: string;
  space: Space;
  /** The position of each level on the map, whose y grows upwards. Empty for a warped one. */
  places: readonly LevelPlace[];
  warped?: WarpedPlane;
  /** Whether the coordinates of y grow upwards, as northings do. */
  isUpward: boolean;
  /** Whether CF's attributes pack the values, or mark missing ones. */
  isPacked: boolean;
  /** How values are unpacked by these attributes. Without it they are shown as they are stored. */
  decode?: { convention: "cf"; zarrFillValue: boolean };
  /** The channels of an image, three for RGB. Empty for a field, which has a style. */
  channels: SceneChannel[];
  labels: SceneLabel[];
  /** The style of a field. */
  field?: FieldStyle;
  /** The variables of the group, including this one. Empty for an array or an image. */
  variables: SceneVariable[];
  variable?: string;
}

export interface SceneOptions {
  signal?: AbortSignal;
  /** The relative path of the array to show, for a group of variables. */
  variable?: string;
  /** Whether elements are labels, if the metadata does not say it. */
  kind?: "labels";
  /** The names of the axes to draw instead of x and y. */
  plane?: { x: string; y: string };
  /** `stored`: the values of a field are not unpacked. */
  values?: "stored";
}

/**
 * Maximum number of channels that are mixed, and of label images above the picture. Metadata and
 * the page's URL can ask for a thousand, and each is read for each tile in view.
 */
export const MAX_MIXED = 64;
export const MAX_LABELS = 16;

/** Hides the items after the first `most` visible ones. */
export function atMost<T extends { visible: boolean }>(items: readonly T[], most: number): T[] {
  let count = 0;
  return items.map((item) => {
    count += item.visible ? 1 : 0;
    return item.visible && count > most ? { ...item, visible: false } : item;
  });
}
