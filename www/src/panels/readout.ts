/** The text with the pointer's coordinates and the values there. */

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
    const axes = new Set(index.map(({ name }) => name));
    // Longitude and latitude come first. Their names may differ from those of the axes.
    const others = coordinates.filter(({ name }) => !axes.has(name));
    const places = [
      ...others.map(({ name, text }) => place(name, text)),
      ...index.map(({ name, index }) => {
        const text = coordinates.find((coordinate) => coordinate.name === name)?.text;
        const told = index < 0 ? "…" : String(index);
        return text === undefined ? place(name, "", told) : place(name, text, `[${told}]`);
      }),
    ];
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

function place(name: string, text: string, index = ""): HTMLElement {
  const words = element(
    "span",
    { class: index === "" ? "place" : "at" },
    element("span", { class: "name" }, name),
  );
  if (text !== "") words.append(` ${text}`);
  if (index !== "") words.append(" ", element("span", { class: "index" }, index));
  return words;
}
