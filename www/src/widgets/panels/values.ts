/**
 * Shows the values of an array without a plane: as a list, and along one dimension also as a curve.
 * It reads nothing.
 */

import { html, nothing, render, type TemplateResult } from "lit-html";
import type { Values } from "../../model/opening/values.js";
import { countText, roundedText } from "../../model/text/numbers.js";
import { shortened } from "../page/element.js";

const CURVE = { width: 900, height: 260 };

/** Shows the values instead of the picture. */
export function showValues(element: HTMLElement, { count, texts, numbers }: Values): void {
  render(
    html`${numbers.length > 0 ? curve(numbers) : nothing}
      <h2>${title(texts.length, count)}</h2>
      <ol start="0">${texts.map((text) => html`<li>${shortened(text)}</li>`)}</ol>`,
    element,
  );
}
function title(listed: number, count: number): string {
  if (count === 0) return "The array is empty";
  if (count === 1) return "The value";
  return listed < count
    ? `The first ${countText(listed)} of ${countText(count)} values`
    : `${countText(count)} values`;
}
function curve(values: number[]): TemplateResult {
  const finite = values.filter(Number.isFinite);
  const low = finite.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = finite.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const { width, height } = CURVE;
  const across = (index: number) => ((index / (values.length - 1)) * width).toFixed(1);
  const down = (value: number) =>
    (high > low ? (1 - (value - low) / (high - low)) * height : height / 2).toFixed(1);
  let pen = "M";
  let path = "";
  for (const [index, value] of thinned(values)) {
    if (Number.isFinite(value)) path += `${pen}${across(index)} ${down(value)}`;
    // A value that is not a number is a gap in the curve.
    pen = Number.isFinite(value) ? "L" : "M";
  }
  const [least, most] = [roundedText(low), roundedText(high)];
  return html`<svg
    viewBox="-6 -22 ${width + 12} ${height + 44}"
    role="img"
    aria-label="Curve of ${values.length} values from ${least} to ${most}"
  >
    <path d="M0 0H${width}M0 ${height}H${width}" class="frame" />
    <path d=${path} class="line" />
    <text x="0" y="-8">${most}</text>
    <text x="0" y=${height + 16}>${least}</text>
  </svg>`;
}

/** About two points per pixel: the lowest and the highest value of each interval. */
function thinned(values: number[]): [index: number, value: number][] {
  const stretch = Math.ceil(values.length / CURVE.width);
  const points = [...values.entries()];
  if (stretch < 3) return points;
  const kept: [number, number][] = [];
  for (let from = 0; from < points.length; from += stretch) {
    const part = points.slice(from, from + stretch).sort((a, b) => a[1] - b[1]);
    kept.push(
      ...[part.at(0), part.at(-1)].filter((point) => point !== undefined).sort((a, b) => a[0] - b[0]),
    );
  }
  return kept;
}
