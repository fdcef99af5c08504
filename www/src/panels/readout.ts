/** The text with the pointer's coordinates and the values there. */

import { html, nothing, render, type TemplateResult } from "lit-html";
import { dot, shown } from "../page/element.js";
import type { Reading } from "../picture/picture.js";

/** Shows a reading; hides the text if it is null. */
export function showReading(place: HTMLElement, reading: Reading | null): void {
  place.hidden = reading === null;
  if (!reading) return;
  const { index, coordinates, values } = reading;
  const axes = new Set(index.map(({ name }) => name));
  // Longitude and latitude come first. Their names may differ from those of the axes.
  const others = coordinates.filter(({ name }) => !axes.has(name));
  const places = [
    ...others.map(({ name, text }) => placeText(name, text)),
    ...index.map(({ name, index }) => {
      const text = coordinates.find((coordinate) => coordinate.name === name)?.text;
      const told = index < 0 ? "…" : String(index);
      return text === undefined ? placeText(name, "", told) : placeText(name, text, `[${told}]`);
    }),
  ];
  const told = values.map(({ name, text, color }) => {
    const named = html`${color ? dot(color) : nothing}<span class="name">${shown(name)} </span>`;
    return html`<span class="value">${values.length > 1 ? named : nothing}<b>${text}</b></span>`;
  });
  render(html`<div class="told">${told}</div><div class="places">${places}</div>`, place);
}

function placeText(name: string, text: string, index = ""): TemplateResult {
  const number = index === "" ? nothing : html` <span class="index">${index}</span>`;
  const kind = index === "" ? "place" : "at";
  const words = html`<span class="name">${shown(name)}</span>${text && ` ${text}`}${number}`;
  return html`<span class=${kind}>${words}</span>`;
}
