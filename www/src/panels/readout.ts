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
    const named = new Map(coordinates.map(({ name, text }) => [name, text]));
    const places = index.map(({ name, index }) => {
      const text = named.get(name);
      const isNew = text !== undefined && text !== String(index);
      return element(
        "span",
        { class: "at" },
        element("span", { class: "name" }, name),
        isNew ? ` ${text} ` : " ",
        element("span", { class: "index" }, isNew ? `[${index}]` : String(index)),
      );
    });
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
