/**
 * What is between the state of the linked views and the code that shows them, which is loaded when
 * it is needed.
 */

import type { SceneContent } from "../../model/opening/content.js";
import type { AskHosts } from "../../model/opening/reference_hosts.js";
import type { AskAsset } from "../../model/opening/stac.js";
import type { UrlState } from "../../model/state/url_state.js";
import type { SceneView } from "../../widgets/views/scene_view.js";
import type { PictureSnapshot } from "../../widgets/views/view_snapshot.js";
import type { ComparePanel } from "./compare_panel.js";

/** The part of the state that says what is beside the picture. */
export type LinkedState = Pick<UrlState, "planes" | "compare" | "with">;

/** The elements that the views are added to. */
export interface LinkedElements {
  /** Has the view of the picture, and gets the views beside it. */
  views: HTMLElement;
  /** The picture. */
  map: HTMLElement;
  /** The sliders of the picture. */
  dimensions: HTMLElement;
}

/** What is asked before a second data set is opened. */
export interface Questions {
  hosts: AskHosts;
  asset: AskAsset;
}

export interface LinkedContext {
  /** The first picture. */
  view: SceneView;
  elements: LinkedElements;
  questions: Questions;
  /** Makes the panel of a comparison with this second picture. Null if its user has none. */
  panelOf(second: SceneView): ComparePanel | null;
  /** The node that it shows. */
  content: SceneContent;
  state: LinkedState;
  /** The state has changed. */
  changed(state: LinkedState): void;
  close(): void;
  fail(error: unknown): void;
  /** Whether keys and clicks in the first picture are those of a tool. */
  isDrawing(): boolean;
}

/** The views beside the picture. */
export interface LinkedViews {
  /** Follows the picture after a change of its indices, colours or level. */
  update(): void;
  /** The pictures beside it, as they are. */
  pictures(): PictureSnapshot[];
  /** Removes the views, and gives their memory back. */
  close(): void;
}
