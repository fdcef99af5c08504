/** The dimensions of an array as controls: which two are drawn, and a slider with a number for each of the others. */

import type { PlaceName } from "./decoded.js";
import { element } from "./element.js";
import { dimensionNames, type Plane } from "./plane.js";

export class Sliders {
  /** The plane that the controls now describe. */
  onChange: (plane: Plane) => void = () => {};

  readonly #place: HTMLElement;
  readonly #axes: HTMLElement;
  #plane: Plane | null = null;
  #names: readonly (PlaceName | undefined)[] = [];

  /** `axes` takes the choice of the drawn dimensions, `place` the sliders. */
  constructor(place: HTMLElement, axes: HTMLElement) {
    this.#place = place;
    this.#axes = axes;
  }

  show(plane: Plane): void {
    const old = this.#plane;
    const remake = old?.array !== plane.array || old.x !== plane.x || old.y !== plane.y;
    this.#plane = plane;
    if (!remake) return;
    if (old?.array !== plane.array) this.#names = [];
    this.#axes.replaceChildren(this.#axis("x", "Across"), this.#swap(), this.#axis("y", "Down"));
    const others = plane.array.shape.flatMap((_length, axis) =>
      axis === plane.x || axis === plane.y ? [] : [axis],
    );
    this.#place.replaceChildren(...others.map((axis) => this.#slider(axis, plane)));
    this.#place.hidden = others.length === 0;
  }

  /** What the places along each dimension are called. */
  setNames(names: readonly (PlaceName | undefined)[]): void {
    this.#names = names;
    for (const place of this.#place.querySelectorAll<HTMLElement>(".of")) this.#tell(place);
  }

  #tell(place: HTMLElement): void {
    const axis = Number(place.dataset.axis);
    const last = (this.#plane?.array.shape[axis] ?? 1) - 1;
    const name = this.#names[axis]?.(this.#plane?.at[axis] ?? 0);
    place.textContent = name ? `of ${last} · ${name}` : `of ${last}`;
  }

  #change(change: Partial<Plane>): void {
    if (!this.#plane) return;
    const plane = { ...this.#plane, ...change };
    this.show(plane);
    this.onChange(plane);
  }

  #axis(which: "x" | "y", label: string): HTMLElement {
    const plane = this.#plane;
    const select = element("select", { id: `axis-${which}` });
    for (const [axis, name] of (plane ? dimensionNames(plane.array) : []).entries()) {
      select.append(element("option", { value: axis, selected: axis === plane?.[which] }, name));
    }
    select.addEventListener("change", () => {
      if (!this.#plane) return;
      const axis = Number(select.value);
      const { x, y } = this.#plane;
      // Choosing the other one's dimension swaps the two: a plane needs both.
      if (which === "x") this.#change({ x: axis, y: axis === y ? x : y });
      else this.#change({ x: axis === x ? y : x, y: axis });
    });
    return element("label", {}, label, " ", select);
  }

  #swap(): HTMLElement {
    const swap = () => {
      const { x, y } = this.#plane ?? { x: 0, y: 0 };
      this.#change({ x: y, y: x });
    };
    return element(
      "button",
      { type: "button", title: "Swap the axes", "aria-label": "Swap the axes", onclick: swap },
      "⇄",
    );
  }

  #slider(axis: number, { array, at }: Plane): HTMLElement {
    const last = (array.shape[axis] ?? 1) - 1;
    const name = dimensionNames(array)[axis] ?? "";
    const value = at[axis] ?? 0;
    const range = element("input", {
      type: "range",
      id: `slider-${axis}`,
      min: 0,
      max: last,
      step: 1,
      value,
    });
    const number = element("input", {
      type: "number",
      min: 0,
      max: last,
      step: 1,
      value,
      "aria-label": `Index in ${name}`,
    });
    range.disabled = number.disabled = last === 0;
    const of = element("span", { class: "of" }, `of ${last}`);
    of.dataset.axis = String(axis);
    const follow = (from: HTMLInputElement) => {
      const index = Math.round(Number(from.value));
      if (from.value === "" || !(index >= 0 && index <= last)) return;
      range.value = number.value = String(index);
      this.#change({ at: (this.#plane?.at ?? at).map((old, other) => (other === axis ? index : old)) });
      this.#tell(of);
    };
    range.addEventListener("input", () => follow(range));
    number.addEventListener("input", () => follow(number));
    return element(
      "div",
      { class: "slider" },
      element("label", { for: `slider-${axis}` }, name),
      range,
      number,
      of,
    );
  }
}
