/**
 * A view at a moment: the scene with all that is set, its elements in view, and their source; and
 * the pictures beside it. Plain values that do not follow the view. Sizes and positions are in CSS
 * pixels.
 */

import type { PictureState } from "../../map/picture.js";
import type { ViewBox } from "../../map/view_box.js";
import type { Dataset } from "../../model/opening/dataset.js";
import type { Source } from "../../model/opening/source.js";
import type { Scene } from "../../model/scene/scene.js";
import { slidAxes } from "../../model/scene/scene_state.js";
import type { Mark } from "../../model/state/marks.js";

/** Indices by name of axis. */
export type Indices = Readonly<Record<string, number>>;

type Size = readonly [width: number, height: number];

/** The elements of a scene that are in view. */
export interface InView {
  source: Source;
  /** Whether all nodes are known from consolidated metadata. */
  isConsolidated: boolean;
  scene: Scene;
  box: ViewBox;
}

/** What is in view of a scene of a data set. */
export const inViewOf = ({ source, all }: Dataset, scene: Scene, box: ViewBox): InView => ({
  source,
  isConsolidated: all !== null,
  scene,
  box,
});

/** A picture as it is drawn, and where it is seen. */
export interface PictureSnapshot {
  state: PictureState;
  size: Size;
  /** Its left upper corner, from that of the first picture. */
  corner: readonly [left: number, top: number];
  /** Which shares of its width are seen. Another picture covers the rest. */
  visible: readonly [from: number, to: number];
  marks: readonly Mark[];
  title: string;
  /** What it is made of: its elements, or those of both scenes of a difference. */
  elements: readonly InView[];
  hasLegend: boolean;
  /** Its indices while those of the first picture are these. */
  follow(at: Indices): Record<string, number>;
}

export interface ViewSnapshot extends Omit<InView, "scene"> {
  /** The scene as it is drawn, with the present camera. */
  state: PictureState;
  /** The size of the picture. */
  size: Size;
  /** The marks on the picture. */
  marks: readonly Mark[];
  /** Other planes, or what the picture is compared with. */
  beside: readonly PictureSnapshot[];
}

/** What is in view of the first picture. */
export const inFirstView = ({ source, isConsolidated, state, box }: ViewSnapshot): InView => ({
  source,
  isConsolidated,
  scene: state.scene,
  box,
});

/** All pictures. The first one is covered where others begin within it. */
export function picturesOf(snapshot: ViewSnapshot): PictureSnapshot[] {
  const { state, size, marks, beside } = snapshot;
  const covered = beside.map(({ visible: [from] }) => from).find((from) => from > 0);
  const first: PictureSnapshot = {
    state,
    size,
    marks,
    corner: [0, 0],
    visible: [0, covered ?? 1],
    title: beside.length > 0 ? state.scene.title : "",
    elements: [inFirstView(snapshot)],
    hasLegend: true,
    follow: (at) => ({ ...at }),
  };
  return [first, ...beside];
}

/** The size of all pictures together. */
export function wholeOf({ size, beside }: ViewSnapshot): [width: number, height: number] {
  const [width, height] = size;
  const rights = beside.map((other) => other.corner[0] + other.size[0]);
  const bottoms = beside.map((other) => other.corner[1] + other.size[1]);
  return [Math.max(width, ...rights), Math.max(height, ...bottoms)];
}

/** The indices along the dimensions that have sliders, as text. */
export const captionOf = ({ scene, at, texts }: Pick<PictureState, "scene" | "at" | "texts">): string =>
  slidAxes(scene)
    .map(({ name }) => `${name} ${texts.text(name, at[name] ?? 0) || (at[name] ?? 0)}`)
    .join("   ");
