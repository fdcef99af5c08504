/** The line above the picture: which dimensions are drawn, which level of a pyramid, zoom. */

import { element } from "./element.js";

export interface Level {
  path: string;
  label: string;
}

export class Toolbar {
  onLevel: (path: string) => void = () => {};
  onZoom: (factor: number) => void = () => {};
  onFit: () => void = () => {};

  /** For the choice of axes. */
  readonly axes = element("div", { class: "axes" });
  readonly #level = element("select", { id: "level" });
  readonly #levelLabel = element("label", { hidden: true }, "Level ", this.#level);

  constructor(place: HTMLElement) {
    const button = (text: string, title: string, press: () => void) =>
      element("button", { type: "button", title, "aria-label": title, onclick: press }, text);
    this.#level.addEventListener("change", () => this.onLevel(this.#level.value));
    place.append(
      this.axes,
      this.#levelLabel,
      element(
        "div",
        { class: "zoom" },
        button("−", "Zoom out", () => this.onZoom(1 / 1.6)),
        button("+", "Zoom in", () => this.onZoom(1.6)),
        button("Fit", "Show the whole plane", () => this.onFit()),
      ),
    );
  }

  setLevels(levels: readonly Level[], chosen: string): void {
    this.#levelLabel.hidden = levels.length < 2;
    this.#level.replaceChildren(
      ...levels.map(({ path, label }) => element("option", { value: path }, label)),
    );
    this.#level.value = chosen;
  }
}
