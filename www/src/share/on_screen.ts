/**
 * What the viewer shows: the scene with all that is set, its elements in view, and their source.
 */

import type { Source } from "../opening/source.js";
import type { PictureState } from "../picture/picture.js";
import type { ViewBox } from "../picture/view_box.js";
import type { Mark } from "../plots/marks.js";
import { slidAxes } from "../scene_state.js";

export interface OnScreen {
  source: Source;
  /** Whether all nodes are known from consolidated metadata. */
  isConsolidated: boolean;
  /** The scene as it is drawn, with the present camera. */
  state: PictureState;
  /** Size of the view in CSS pixels. */
  view: readonly [width: number, height: number];
  box: ViewBox;
  /** The marks on the picture. */
  marks: readonly Mark[];
}

/** The places along the dimensions that have sliders, as text. */
export const captionOf = ({ scene, at, texts }: Pick<PictureState, "scene" | "at" | "texts">): string =>
  slidAxes(scene)
    .map(({ name }) => `${name} ${texts.text(name, at[name] ?? 0) || (at[name] ?? 0)}`)
    .join("   ");
