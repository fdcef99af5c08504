/** The selection of the plane's axes and of the pyramid's level. */

import { element } from "../page/element.js";
import { optionsOf } from "../page/long_list.js";
import type { Scene, SceneAxis } from "../scene/scene.js";
import { shapeText } from "../text/numbers.js";

export class ViewOptions {
  onPlane: (plane: { x: number; y: number }) => void = () => {};
  /** Null: the level follows the zoom. */
  onLevel: (level: number | null) => void = () => {};

  readonly #place: HTMLElement;
  readonly #section: HTMLElement;
  #plane = { x: 0, y: 0 };
  #followed: HTMLOptionElement | null = null;

  constructor(place: HTMLElement, section: HTMLElement) {
    this.#place = place;
    this.#section = section;
  }

  show(scene: Scene, plane: { x: number; y: number }, level: number | null): void {
    this.#plane = { ...plane };
    const drawn = scene.axes.filter(
      ({ length, role }) =>
        length > 1 && !(role === "c" && scene.kind !== "field" && scene.kind !== "labels"),
    );
    const rows = [
      ...(drawn.length > 2 ? [this.#axes(drawn)] : []),
      ...(scene.pyramid.levels.length > 1 ? [this.#levels(scene, level)] : []),
    ];
    this.#place.replaceChildren(...rows);
    this.#section.hidden = rows.length === 0;
  }

  /** Shows the level that the zoom has selected. */
  setDrawnLevel(level: number): void {
    if (this.#followed) this.#followed.textContent = `Follows the zoom (${level})`;
  }

  #axes(axes: Scene["axes"]): HTMLElement {
    const select = (which: "x" | "y", label: string) => {
      const options = axes.map(({ name, axis }) =>
        element("option", { value: axis, selected: axis === this.#plane[which] }, name),
      );
      const menu = element("select", { id: `axis-${which}` }, ...options);
      menu.addEventListener("change", () => this.#choose(which, Number(menu.value)));
      return element("label", {}, element("span", {}, label), menu);
    };
    return element("div", { class: "axes" }, this.#presets(axes), select("x", "Across"), select("y", "Down"));
  }

  /** The three planes of a volume. */
  #presets(axes: Scene["axes"]): HTMLElement {
    const place = element("div", { class: "segments", role: "group", "aria-label": "Plane of the volume" });
    const [x, y, z] = (["x", "y", "z"] as const).map((role) => axes.find((axis) => axis.role === role));
    if (!x || !y || !z) return place;
    for (const [across, down] of [
      [x, y],
      [x, z],
      [z, y],
    ] as const) {
      const isChosen = across.axis === this.#plane.x && down.axis === this.#plane.y;
      const press = () => this.#set({ x: across.axis, y: down.axis });
      place.append(
        element(
          "button",
          { type: "button", "aria-pressed": String(isChosen), onclick: press },
          // The usual name is "yz", also if z is horizontal.
          across === z ? planeName(down, across) : planeName(across, down),
        ),
      );
    }
    return place;
  }

  /** Selecting the other axis of the plane swaps both. */
  #choose(which: "x" | "y", axis: number): void {
    const { x, y } = this.#plane;
    this.#set(which === "x" ? { x: axis, y: axis === y ? x : y } : { x: axis === x ? y : x, y: axis });
  }

  #set(plane: { x: number; y: number }): void {
    this.#plane = plane;
    this.onPlane(plane);
  }

  #levels(scene: Scene, level: number | null): HTMLElement {
    this.#followed = element("option", { value: "", selected: level === null }, "Follows the zoom");
    const { levels } = scene.pyramid;
    const entry = (at: number) => {
      const { shape = [] } = levels[at] ?? {};
      const size = shapeText([shape[this.#plane.x] ?? 1, shape[this.#plane.y] ?? 1]);
      return { value: at, text: `${at}: ${size}` };
    };
    const options = optionsOf(levels.length, entry, { chosen: level ?? -1, noun: "levels" });
    const menu = element("select", { id: "level" }, this.#followed, ...options);
    menu.addEventListener("change", () => this.onLevel(menu.value === "" ? null : Number(menu.value)));
    return element("label", { class: "level" }, element("span", {}, "Resolution"), menu);
  }
}

/** "xy", and "lon–lat". */
const planeName = (one: SceneAxis, other: SceneAxis): string =>
  `${one.name}${one.name.length + other.name.length > 2 ? "–" : ""}${other.name}`;
