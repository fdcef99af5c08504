/** The selection of the plane's axes and of the pyramid's level. */

import { html, nothing, render, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import type { Plane, Scene, SceneAxis } from "../../model/scene/scene.js";
import { freeAxes } from "../../model/scene/scene_state.js";
import { shapeText } from "../../model/text/numbers.js";
import { withValue } from "../page/element.js";
import { optionsOf } from "../page/long_list.js";

export interface ViewChanges {
  setPlane(plane: Plane): void;
  /** Null: the level follows the zoom. */
  setLevel(level: number | null): void;
}

export class ViewOptions {
  #scene: Scene | null = null;
  /** The fixed level. */
  #level: number | null = null;
  /** The level that the zoom has selected. */
  #drawn: number | null = null;

  constructor(
    readonly element: HTMLElement,
    readonly changes: ViewChanges,
  ) {}

  show(scene: Scene, level: number | null): void {
    [this.#scene, this.#level, this.#drawn] = [scene, level, null];
    this.#render(scene);
  }

  /** Shows the level that the zoom has selected. */
  setDrawnLevel(level: number): void {
    this.#drawn = level;
    if (this.#scene) this.#render(this.#scene);
  }

  #render(scene: Scene): void {
    const axes = freeAxes(scene);
    const [hasAxes, hasLevels] = [axes.length > 2, scene.pyramid.levels.length > 1];
    const rows = html`${hasAxes ? this.#axes(axes, scene.plane) : nothing}
    ${hasLevels ? this.#levels(scene) : nothing}`;
    render(keyed(scene, rows), this.element);
  }

  #axes(axes: readonly SceneAxis[], plane: Plane): TemplateResult {
    const select = (which: "x" | "y", label: string) => {
      const option = ({ name, axis }: SceneAxis) =>
        html`<option value=${axis} ?selected=${axis === plane[which]}>${name}</option>`;
      // Selecting the other axis of the plane swaps both.
      const choose = withValue((value) => {
        const wanted: Plane = { ...plane, [which]: Number(value) };
        this.changes.setPlane(wanted.x === wanted.y ? { x: plane.y, y: plane.x } : wanted);
      });
      return html`<label>
        <span>${label}</span>
        <select id="axis-${which}" @change=${choose}>${axes.map(option)}</select>
      </label>`;
    };
    return html`<div class="axes">
      ${this.#presets(axes, plane)} ${select("x", "Across")} ${select("y", "Down")}
    </div>`;
  }

  /** The three planes of a volume. */
  #presets(axes: readonly SceneAxis[], plane: Plane): unknown {
    const [x, y, z] = (["x", "y", "z"] as const).map((role) => axes.find((axis) => axis.role === role));
    if (!x || !y || !z) return nothing;
    const button = (across: SceneAxis, down: SceneAxis) => {
      const isChosen = across.axis === plane.x && down.axis === plane.y;
      const press = () => this.changes.setPlane({ x: across.axis, y: down.axis });
      // The usual name is "yz", also if z is horizontal.
      const name = across === z ? planeName(down, across) : planeName(across, down);
      return html`<button type="button" aria-pressed=${isChosen} @click=${press}>${name}</button>`;
    };
    return html`<div class="segments" role="group" aria-label="Plane of the volume">
      ${[button(x, y), button(x, z), button(z, y)]}
    </div>`;
  }

  #levels({ pyramid, plane }: Scene): TemplateResult {
    const entries = pyramid.levels.map(({ shape }, at) => {
      const size = shapeText([shape[plane.x] ?? 1, shape[plane.y] ?? 1]);
      return { value: at, text: `${at}: ${size}` };
    });
    const options = optionsOf(entries, { chosen: this.#level ?? -1, noun: "levels" });
    const follows = `Follows the zoom${this.#drawn === null ? "" : ` (${this.#drawn})`}`;
    const choose = (value: string) => {
      this.#level = value === "" ? null : Number(value);
      this.changes.setLevel(this.#level);
    };
    return html`<label class="level">
      <span>Resolution</span>
      <select id="level" @change=${withValue(choose)}>
        <option value="" ?selected=${this.#level === null}>${follows}</option>
        ${options}
      </select>
    </label>`;
  }
}

/** "xy", and "lon–lat". */
const planeName = (one: SceneAxis, other: SceneAxis): string =>
  `${one.name}${one.name.length + other.name.length > 2 ? "–" : ""}${other.name}`;
