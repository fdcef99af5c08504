/** The selection of the plane's axes and of the pyramid's level. */

import { html, nothing, render, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import { withValue } from "../page/element.js";
import { optionsOf } from "../page/long_list.js";
import type { Scene, SceneAxis } from "../scene/scene.js";
import { shapeText } from "../text/numbers.js";

/** What is shown: a scene in a plane, and a fixed level, or null. */
interface View {
  scene: Scene;
  plane: { x: number; y: number };
  level: number | null;
}

export class ViewOptions {
  onPlane: (plane: { x: number; y: number }) => void = () => {};
  /** Null: the level follows the zoom. */
  onLevel: (level: number | null) => void = () => {};

  readonly #place: HTMLElement;
  readonly #section: HTMLElement;
  #view: View | null = null;
  /** The level that the zoom has selected. */
  #drawn: number | null = null;

  constructor(place: HTMLElement, section: HTMLElement) {
    this.#place = place;
    this.#section = section;
  }

  show(view: View): void {
    this.#view = view;
    this.#drawn = null;
    this.#render(view);
  }

  /** Shows the level that the zoom has selected. */
  setDrawnLevel(level: number): void {
    this.#drawn = level;
    if (this.#view) this.#render(this.#view);
  }

  #render(view: View): void {
    const { scene } = view;
    const drawn = scene.axes.filter(
      ({ length, role }) =>
        length > 1 && !(role === "c" && scene.kind !== "field" && scene.kind !== "labels"),
    );
    const [hasAxes, hasLevels] = [drawn.length > 2, scene.pyramid.levels.length > 1];
    const rows = html`${hasAxes ? this.#axes(drawn, view) : nothing}
    ${hasLevels ? this.#levels(view) : nothing}`;
    render(keyed(view, rows), this.#place);
    this.#section.hidden = !hasAxes && !hasLevels;
  }

  #axes(axes: readonly SceneAxis[], view: View): TemplateResult {
    const select = (which: "x" | "y", label: string) => {
      const option = ({ name, axis }: SceneAxis) =>
        html`<option value=${axis} ?selected=${axis === view.plane[which]}>${name}</option>`;
      const choose = withValue((value) => this.#choose(view, which, Number(value)));
      return html`<label>
        <span>${label}</span>
        <select id="axis-${which}" @change=${choose}>${axes.map(option)}</select>
      </label>`;
    };
    return html`<div class="axes">
      ${this.#presets(axes, view)} ${select("x", "Across")} ${select("y", "Down")}
    </div>`;
  }

  /** The three planes of a volume. */
  #presets(axes: readonly SceneAxis[], view: View): unknown {
    const [x, y, z] = (["x", "y", "z"] as const).map((role) => axes.find((axis) => axis.role === role));
    if (!x || !y || !z) return nothing;
    const button = (across: SceneAxis, down: SceneAxis) => {
      const isChosen = across.axis === view.plane.x && down.axis === view.plane.y;
      const press = () => this.#set(view, { x: across.axis, y: down.axis });
      // The usual name is "yz", also if z is horizontal.
      const name = across === z ? planeName(down, across) : planeName(across, down);
      return html`<button type="button" aria-pressed=${isChosen} @click=${press}>${name}</button>`;
    };
    return html`<div class="segments" role="group" aria-label="Plane of the volume">
      ${[button(x, y), button(x, z), button(z, y)]}
    </div>`;
  }

  /** Selecting the other axis of the plane swaps both. */
  #choose(view: View, which: "x" | "y", axis: number): void {
    const { x, y } = view.plane;
    this.#set(view, which === "x" ? { x: axis, y: axis === y ? x : y } : { x: axis === x ? y : x, y: axis });
  }

  #set(view: View, plane: View["plane"]): void {
    view.plane = plane;
    this.onPlane(plane);
  }

  #levels({ scene, plane, level }: View): TemplateResult {
    const entries = scene.pyramid.levels.map(({ shape }, at) => {
      const size = shapeText([shape[plane.x] ?? 1, shape[plane.y] ?? 1]);
      return { value: at, text: `${at}: ${size}` };
    });
    const options = optionsOf(entries, { chosen: level ?? -1, noun: "levels" });
    const follows = `Follows the zoom${this.#drawn === null ? "" : ` (${this.#drawn})`}`;
    const choose = (value: string) => this.onLevel(value === "" ? null : Number(value));
    return html`<label class="level">
      <span>Resolution</span>
      <select id="level" @change=${withValue(choose)}>
        <option value="" ?selected=${level === null}>${follows}</option>
        ${options}
      </select>
    </label>`;
  }
}

/** "xy", and "lon–lat". */
const planeName = (one: SceneAxis, other: SceneAxis): string =>
  `${one.name}${one.name.length + other.name.length > 2 ? "–" : ""}${other.name}`;
