/** Where the pointer is, and the values there: text of the page. */

import { element } from "../page/element.js";
import type { Reading } from "../picture/picture.js";

export class Readout {
  readonly #place: HTMLElement;

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  show(reading: Reading | null): void {
    this.#place.hidden = reading === null;
    if (!reading) return;
    const { index, coordinates, values } = reading;
    const places = coordinates.map(({ name, text }) =>
      element("span", {}, element("span", { class: "name" }, name), ` ${text}`),
    );
    const indices = index.map(({ name, index }) => `${name} ${index}`).join(", ");
    places.push(element("span", { class: "index" }, coordinates.length > 0 ? `[${indices}]` : indices));
    const told = values.map(({ name, text, color }) => {
      const dot = element("span", { class: "dot" });
      if (color) dot.style.background = color;
      const isOnly = values.length === 1;
      return element(
        "span",
        { class: "value" },
        color && !isOnly ? dot : null,
        isOnly ? null : element("span", { class: "name" }, `${name} `),
        element("b", {}, text),
      );
    });
    this.#place.replaceChildren(
      element("div", { class: "told" }, ...told),
      element("div", { class: "places" }, ...places),
    );
  }
}
