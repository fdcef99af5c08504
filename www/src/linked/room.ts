/** What is between the state of the linked views and the code that shows them, which loads late. */

import type { UrlState } from "../opening/url_state.js";
import type { SceneView } from "../scene_view.js";
import type { SeenPicture } from "../share/on_screen.js";
import type { Shown } from "../shown.js";

export type SceneShown = Shown & { kind: "scene" };

/** The part of the state that says what is beside the picture. */
export type LinkedState = Pick<UrlState, "planes" | "compare" | "with">;

export interface RoomContext {
  /** The viewer's picture. */
  view: SceneView;
  /** The node that it shows. */
  shown: SceneShown;
  state: LinkedState;
  /** The state has changed. */
  changed(state: LinkedState): void;
  close(): void;
  fail(error: unknown): void;
  /** Whether keys and clicks in the viewer's picture are those of a tool. */
  isDrawing(): boolean;
}

/** The views beside the picture. */
export interface Room {
  /** Follows the picture after a change of its indices, colours or level. */
  update(): void;
  /** The pictures beside it, as they are. */
  pictures(): SeenPicture[];
  /** Removes the views, and gives their memory back. */
  close(): void;
}
