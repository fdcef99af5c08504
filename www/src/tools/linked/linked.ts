/**
 * The state of what is shown beside the picture: the other planes of a volume, or what it is
 * compared with. The code of these views loads when they are first shown, so that a page with one
 * picture is not slower.
 */

import type { Shown } from "../../model/opening/content.js";
import type { UrlState } from "../../model/state/url_state.js";
import type { SceneView } from "../../widgets/views/scene_view.js";
import type { SeenPicture } from "../../widgets/views/view_snapshot.js";
import { planesOf } from "./axis_places.js";
import type { LinkedState, Room, RoomContext, SceneShown } from "./linked_views.js";

export interface LinkedOptions
  extends Pick<RoomContext, "places" | "questions" | "panelOf" | "fail" | "isDrawing"> {
  /** The state has changed. */
  changed(): void;
  /** The user has chosen other views, which are about to be opened. */
  leave(): void;
}

export class Linked {
  /** Other views are opened. */
  onOpen: () => void = () => {};
  #shown: SceneShown | null = null;
  #state: LinkedState = {};
  #room: Room | null = null;
  #opening = new AbortController();

  constructor(
    readonly view: SceneView,
    readonly options: LinkedOptions,
  ) {}

  /** Shows what a state has beside the node that the picture shows. */
  show(shown: Shown, { planes, compare, with: other }: UrlState): void {
    this.#shown = shown.kind === "scene" ? shown : null;
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
    this.#room?.update();
  }

  /** The node that the picture shows. Null if it is no picture. */
  get shown(): SceneShown | null {
    return this.#shown;
  }

  /** Aborts when other views are opened. */
  get signal(): AbortSignal {
    return this.#opening.signal;
  }

  state(): LinkedState {
    return this.#state;
  }

  /** The pictures beside the first one. */
  pictures(): SeenPicture[] {
    return this.#room?.pictures() ?? [];
  }

  /** Whether a click moves the crosshair. */
  get takesClicks(): boolean {
    return this.#state.planes !== undefined;
  }

  /** Removes the views. */
  close(): void {
    this.#shown = null;
    this.#open({});
  }

  #open(wanted: LinkedState): void {
    this.#opening.abort();
    this.#opening = new AbortController();
    this.#room?.close();
    this.#room = null;
    this.#state = this.#possible(wanted);
    this.onOpen();
    const { signal } = this.#opening;
    this.#load(signal).then(
      (room) => {
        if (signal.aborted) room?.close();
        else this.#room = room;
      },
      (error: unknown) => {
        if (!signal.aborted) this.options.fail(error);
      },
    );
  }

  /** The part of a state that the scene can show. */
  #possible({ planes, compare, with: other }: LinkedState): LinkedState {
    const { scene } = this.view;
    if (!this.#shown || !scene) return {};
    if (planes && planesOf(scene)) return { planes };
    return compare && other ? { compare, with: other } : {};
  }

  async #load(signal: AbortSignal): Promise<Room | null> {
    const [{ view, options }, shown, state] = [this, this.#shown, this.#state];
    if (!shown || !(state.planes || state.compare)) return null;
    const changed = (now: LinkedState) => {
      this.#state = now;
      options.changed();
    };
    const context = { ...options, view, shown, state, changed, close: () => this.choose({}) };
    if (!state.planes) {
      const { Compared } = await import("./compared.js");
      return signal.aborted ? null : new Compared(context);
    }
    const { ThreePlanes } = await import("./three_planes.js");
    return ThreePlanes.open(context, signal);
  }
}
