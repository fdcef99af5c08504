/**
 * The state of what is shown beside the picture: the other planes of a volume, or what it is
 * compared with. The code of these views loads when they are first shown, so that a page with one
 * picture is not slower.
 */

import type { Content, SceneContent } from "../../model/opening/content.js";
import type { UrlState } from "../../model/state/url_state.js";
import type { SceneView } from "../../widgets/views/scene_view.js";
import type { PictureSnapshot } from "../../widgets/views/view_snapshot.js";
import { planesOf } from "./axis_positions.js";
import type { LinkedContext, LinkedState, LinkedViews } from "./linked_views.js";

export interface LinkedOptions
  extends Pick<LinkedContext, "elements" | "questions" | "panelOf" | "fail" | "isDrawing"> {
  /** The state has changed. */
  changed(): void;
  /** The user has chosen other views, which are about to be opened. */
  leave(): void;
}

export class Linked {
  /** Other views are opened. */
  onOpen: () => void = () => {};
  #content: SceneContent | null = null;
  #state: LinkedState = {};
  #views: LinkedViews | null = null;
  #opening = new AbortController();

  constructor(
    readonly view: SceneView,
    readonly options: LinkedOptions,
  ) {}

  /** Shows what a state has beside the node that the picture shows. */
  show(content: Content, { planes, compare, with: other }: UrlState): void {
    this.#content = content.kind === "scene" ? content : null;
    this.#open({ planes, compare, with: other });
  }

  /** Opens views that the user has chosen; none for an empty state. */
  choose(state: LinkedState): void {
    this.options.leave();
    this.#open(state);
    this.options.changed();
  }

  /** The picture has other indices, colours or another level. */
  update(): void {
    this.#views?.update();
  }

  /** The node that the picture shows. Null if it is no picture. */
  get content(): SceneContent | null {
    return this.#content;
  }

  /** Aborts when other views are opened. */
  get signal(): AbortSignal {
    return this.#opening.signal;
  }

  state(): LinkedState {
    return this.#state;
  }

  /** The pictures beside the first one. */
  pictures(): PictureSnapshot[] {
    return this.#views?.pictures() ?? [];
  }

  /** Whether a click moves the crosshair. */
  get takesClicks(): boolean {
    return this.#state.planes !== undefined;
  }

  /** Removes the views. */
  close(): void {
    this.#content = null;
    this.#open({});
  }

  #open(wanted: LinkedState): void {
    this.#opening.abort();
    this.#opening = new AbortController();
    this.#views?.close();
    this.#views = null;
    this.#state = this.#possible(wanted);
    this.onOpen();
    const { signal } = this.#opening;
    this.#load(signal).then(
      (views) => {
        if (signal.aborted) views?.close();
        else this.#views = views;
      },
      (error: unknown) => {
        if (!signal.aborted) this.options.fail(error);
      },
    );
  }

  /** The part of a state that the scene can show. */
  #possible({ planes, compare, with: other }: LinkedState): LinkedState {
    const { scene } = this.view;
    if (!this.#content || !scene) return {};
    if (planes && planesOf(scene)) return { planes };
    return compare && other ? { compare, with: other } : {};
  }

  async #load(signal: AbortSignal): Promise<LinkedViews | null> {
    const [{ view, options }, content, state] = [this, this.#content, this.#state];
    if (!content || !(state.planes || state.compare)) return null;
    const changed = (now: LinkedState) => {
      this.#state = now;
      options.changed();
    };
    const context = { ...options, view, content, state, changed, close: () => this.choose({}) };
    if (!state.planes) {
      const { Compared } = await import("./compared.js");
      return signal.aborted ? null : new Compared(context);
    }
    const { ThreePlanes } = await import("./three_planes.js");
    return ThreePlanes.open(context, signal);
  }
}
