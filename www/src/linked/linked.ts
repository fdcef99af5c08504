/**
 * The state of what is shown beside the picture: the other planes of a volume, or what it is
 * compared with. The code of these views loads when they are first shown, so that a page with one
 * picture is not slower.
 */

import { html, nothing, render, type TemplateResult } from "lit-html";
import type { UrlState } from "../opening/url_state.js";
import { button } from "../page/element.js";
import type { SceneView } from "../scene_view.js";
import type { SeenPicture } from "../share/on_screen.js";
import type { Shown } from "../shown.js";
import { planesOf } from "./axis_places.js";
import type { LinkedState, Room, SceneShown } from "./room.js";

export interface LinkedOptions {
  /** The state has changed. */
  changed(): void;
  /** Adds an entry to the browser's history, before the views change. */
  leave(): void;
  fail(error: unknown): void;
  /** Whether keys and clicks in the picture are those of a tool. */
  isDrawing(): boolean;
}

export class Linked {
  #shown: SceneShown | null = null;
  #state: LinkedState = {};
  #room: Room | null = null;
  #opening = new AbortController();

  constructor(
    readonly view: SceneView,
    readonly place: HTMLElement,
    readonly options: LinkedOptions,
  ) {}

  /** Shows what a state has beside the node that the picture shows. */
  show(shown: Shown, { planes, compare, with: other }: UrlState): void {
    this.#shown = shown.kind === "scene" ? shown : null;
    this.#open({ planes, compare, with: other });
  }

  /** The picture has other indices, colours or another level. */
  update(): void {
    this.#room?.update();
  }

  state(): LinkedState {
    return this.#state;
  }

  /** The pictures beside the viewer's. */
  pictures(): SeenPicture[] {
    return this.#room?.pictures() ?? [];
  }

  /** Whether a click moves the crosshair. */
  get takesClicks(): boolean {
    return this.#state.planes !== undefined;
  }

  /** Opens views that the user has chosen; none for an empty state. */
  #choose(state: LinkedState): void {
    this.options.leave();
    this.#open(state);
    this.options.changed();
  }

  #open(wanted: LinkedState): void {
    this.#opening.abort();
    this.#opening = new AbortController();
    this.#room?.close();
    this.#room = null;
    this.#state = this.#possible(wanted);
    this.#render();
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
    const { fail, isDrawing } = options;
    const context = { view, shown, state, changed, close: () => this.#choose({}), fail, isDrawing };
    if (!state.planes) {
      const { Compared } = await import("./compared.js");
      return signal.aborted ? null : new Compared(context);
    }
    const { ThreePlanes } = await import("./three_planes.js");
    return ThreePlanes.open(context, signal);
  }

  #render(): void {
    const words = this.#state.compare ? "Compare with another…" : "Compare with…";
    const ask = () => void this.#ask().catch((error: unknown) => this.options.fail(error));
    render(this.#shown ? html`${this.#planes()} ${button(words, ask)}` : nothing, this.place);
  }

  /** Asks what the picture is compared with. */
  async #ask(): Promise<void> {
    const [shown, { signal }] = [this.#shown, this.#opening];
    const { askForSecond } = await import("./ask_for_second.js");
    const { scene, at } = this.view;
    if (!shown || !scene) return;
    const { compare = { how: "beside" } } = this.#state;
    await askForSecond({ ...shown, scene }, at, signal, (other) => this.#choose({ compare, with: other }));
  }

  /** The choice of one plane or of three, for a volume. */
  #planes(): TemplateResult | typeof nothing {
    const { scene } = this.view;
    const planes = scene && planesOf(scene);
    if (!planes) return nothing;
    const names = planes.map(({ x, y }) => `${scene.axes[x]?.name}${scene.axes[y]?.name}`);
    const three = names.every(({ length }) => length === 2) ? "xy, xz and yz" : "Three";
    const isThree = this.#state.planes !== undefined;
    const choice = (name: string, isOn: boolean, state: LinkedState) => {
      const choose = () => isOn || this.#choose(state);
      return html`<button type="button" aria-pressed=${isOn} @click=${choose}>${name}</button>`;
    };
    return html`<div class="segments" role="group" aria-label="Number of planes">
      ${choice("One plane", !isThree, {})} ${choice(three, isThree, { planes: {} })}
    </div>`;
  }
}
