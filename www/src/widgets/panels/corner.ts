/**
 * What is in the corner of the picture: the values under the pointer, and the legend, which is a
 * colour bar with title, unit and ticks for a field, and the names of the channels for an image. It
 * consists of page elements, not of pixels.
 */

import { html, nothing, render, type TemplateResult } from "lit-html";
import type { Reading } from "../../map/readings.js";
import { gradient } from "../../model/scene/colormaps.js";
import { scaleOf } from "../../model/scene/colour_scale.js";
import type { FieldStyle, LabelProperty, Scene } from "../../model/scene/scene.js";
import { roundedText } from "../../model/text/numbers.js";
import { dot, shortened } from "../page/element.js";

/** Nearer to an end of the bar than this share, a number would exceed the bar. */
const EDGE = 0.08;
/** Maximum number of names, because more would cover the picture. */
const NAMES = 8;

/** Shows the legend of a scene; none if it is null. */
export function showLegend(element: HTMLElement, scene: Scene | null): void {
  const legend = scene?.field ? fieldLegend(scene, scene.field) : scene && channelLegend(scene);
  element.hidden = legend === null;
  render(legend, element);
}

function fieldLegend({ title, unit }: Scene, style: FieldStyle): TemplateResult {
  const [low, high] = style.range.map(roundedText);
  const labels = scaleOf(style).map(({ text, share }) => tickLabel(text, share));
  const background = `background: ${gradient(style.colormap, style.reversed)}`;
  return html`
    <p class="legend-title">${shortened(title)}${unit ? html` <span class="unit">${unit}</span>` : nothing}</p>
    <div class="bar" role="img" aria-label="Colours from ${low} to ${high} ${unit}" .style=${background}></div>
    <div class="scale">${labels}</div>
  `;
}

/** Null if there is nothing to tell apart. */
function channelLegend({ kind, channels }: Scene): TemplateResult | null {
  const visible = channels.filter((channel) => channel.visible);
  if (kind !== "image" || visible.length === 0 || channels.length < 2) return null;
  const names = visible
    .slice(0, NAMES)
    .map(({ name, color }) => html`<li>${dot(color)}${shortened(name)}</li>`);
  if (visible.length > NAMES) names.push(html`<li>and ${visible.length - NAMES} more</li>`);
  return html`<ul class="chips" aria-label="Channels on show">${names}</ul>`;
}

/** Puts a number below its position. The outer ones stay inside of the bar. */
function tickLabel(text: string, share: number): TemplateResult {
  const inner = share > 1 - EDGE ? "-100%" : "-50%";
  const shift = share < EDGE ? "0" : inner;
  const style = `left: ${(share * 100).toFixed(2)}%; transform: translateX(${shift})`;
  return html`<span .style=${style}>${text}</span>`;
}

/** Shows a reading; hides the text if it is null. */
export function showReading(element: HTMLElement, reading: Reading | null): void {
  element.hidden = reading === null;
  if (!reading) return;
  const { index, coordinates, values } = reading;
  const axes = new Set(index.map(({ name }) => name));
  // Longitude and latitude come first. Their names may differ from those of the axes.
  const others = coordinates.filter(({ name }) => !axes.has(name));
  const coordinateTexts = [
    ...others.map(({ name, text }) => coordinateText(name, text)),
    ...index.map(({ name, index }) => {
      const text = coordinates.find((coordinate) => coordinate.name === name)?.text;
      const shown = index < 0 ? "…" : String(index);
      return text === undefined ? coordinateText(name, "", shown) : coordinateText(name, text, `[${shown}]`);
    }),
  ];
  const shown = values.map(({ name, text, color, properties = [] }) => {
    const named = values.length > 1 ? html`<span class="name">${shortened(name)} </span>` : nothing;
    const spot = color && (values.length > 1 || properties.length > 0) ? dot(color) : nothing;
    return html`<span class="value">${spot}${named}<b>${text}</b>${properties.map(propertyText)}</span>`;
  });
  render(html`<div class="told">${shown}</div><div class="places">${coordinateTexts}</div>`, element);
}

const propertyText = ({ name, text }: LabelProperty): TemplateResult =>
  html` <span class="property"><span class="name">${name}</span> ${text}</span>`;

function coordinateText(name: string, text: string, index = ""): TemplateResult {
  const number = index === "" ? nothing : html` <span class="index">${index}</span>`;
  const kind = index === "" ? "place" : "at";
  const words = html`<span class="name">${shortened(name)}</span>${text && ` ${text}`}${number}`;
  return html`<span class=${kind}>${words}</span>`;
}
