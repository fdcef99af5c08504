/**
 * What is in the corner of the picture: the values under the pointer, and the legend, which is a
 * colour bar with title, unit and ticks for a field, and the names of the channels for an image. It
 * consists of page elements, not of pixels.
 */

import { html, nothing, render, type TemplateResult } from "lit-html";
import { dot, shown } from "../page/element.js";
import type { Reading } from "../picture/readings.js";
import { gradient } from "../scene/colormaps.js";
import type { FieldStyle, Scene } from "../scene/scene.js";
import { roundedText, scaleTexts } from "../text/numbers.js";

/** Number of steps between the ticks below the bar. */
const MOST_STEPS = 6;
/** Maximum number of powers of ten, before they are thinned out. */
const MOST_TICKS = 700;
/** Nearer to an end of the bar than this share, a number would exceed the bar. */
const EDGE = 0.08;
/** Number of characters that fit below the bar, gaps included. */
const CHARACTERS = 36;
/** Maximum number of names, because more would cover the picture. */
const NAMES = 8;

/** Shows the legend of a scene; none if it is null. */
export function showLegend(place: HTMLElement, scene: Scene | null): void {
  const legend = scene?.field ? fieldLegend(scene, scene.field) : scene && channelLegend(scene);
  place.hidden = legend === null;
  render(legend, place);
}

function fieldLegend({ title, unit }: Scene, style: FieldStyle): TemplateResult {
  const [low, high] = style.range.map(roundedText);
  const ticks = ticksOf(style);
  const texts = style.log ? ticks.map(roundedText) : scaleTexts(ticks);
  const labels = texts.map((text, at) => tickLabel(text, shareOf(ticks[at] ?? 0, style)));
  const background = `background: ${gradient(style.colormap, style.reversed)}`;
  return html`
    <p class="legend-title">${shown(title)}${unit ? html` <span class="unit">${unit}</span>` : nothing}</p>
    <div class="bar" role="img" aria-label="Colours from ${low} to ${high} ${unit}" .style=${background}></div>
    <div class="scale">${labels.filter(isReadable(texts))}</div>
  `;
}

/** Null if there is nothing to tell apart. */
function channelLegend({ kind, channels }: Scene): TemplateResult | null {
  const visible = channels.filter((channel) => channel.visible);
  if (kind !== "image" || visible.length === 0 || channels.length < 2) return null;
  const names = visible.slice(0, NAMES).map(({ name, color }) => html`<li>${dot(color)}${shown(name)}</li>`);
  if (visible.length > NAMES) names.push(html`<li>and ${visible.length - NAMES} more</li>`);
  return html`<ul class="chips" aria-label="Channels on show">${names}</ul>`;
}

/** Which ticks are kept so that their texts do not overlap. */
function isReadable(texts: readonly string[]) {
  const longest = Math.max(0, ...texts.map(({ length }) => length));
  const every = Math.ceil((texts.length * (longest + 2)) / CHARACTERS);
  return (_: unknown, at: number) => at % every === 0;
}

/** The position of a value on the bar, from 0 to 1. */
function shareOf(value: number, { range: [low, high], log }: FieldStyle): number {
  return log && low > 0 ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
}

/** Places a number below its position. The outer ones stay inside of the bar. */
function tickLabel(text: string, share: number): TemplateResult {
  const shift = share < EDGE ? "0" : share > 1 - EDGE ? "-100%" : "-50%";
  const style = `left: ${(share * 100).toFixed(2)}%; transform: translateX(${shift})`;
  return html`<span .style=${style}>${text}</span>`;
}

/** A few round values in the range; powers of ten for a logarithmic scale. */
function ticksOf({ range: [low, high], log }: FieldStyle): number[] {
  if (log && low > 0) {
    const powers = multiples(Math.log10(low), Math.log10(high), 1).map((power) => 10 ** power);
    if (powers.length > 1) return thinned(powers);
  }
  return multiples(low, high, roundStep((high - low) / MOST_STEPS));
}

/** The next 1, 2 or 5 times a power of ten that is not smaller. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return ([1, 2, 5].find((digit) => digit * power >= step * (1 - 1e-9)) ?? 10) * power;
}

function multiples(low: number, high: number, step: number): number[] {
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  const count = Math.max(0, Math.min(last - first + 1, MOST_TICKS));
  return Array.from({ length: count }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

const thinned = (values: number[]): number[] => {
  const every = Math.ceil(values.length / MOST_STEPS);
  return values.filter((_, at) => at % every === 0);
};

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
