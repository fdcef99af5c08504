/**
 * The control of two limits: a histogram, two sliders on one track, and two number fields. It is
 * used for the window of a channel and the range of a field. Its owner has the limits.
 */

import { html, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { ref } from "lit-html/directives/ref.js";
import type { Histogram } from "zarr-wasm";
import { plainNumber } from "../../model/text/numbers.js";
import { unlessTyping, withValue } from "../page/element.js";

type Range = readonly [low: number, high: number];

export interface WindowOptions {
  /** The name of the limited quantity, for the names of the controls. */
  label: string;
  /** The lowest and the highest known value. */
  limits: Range;
  window: Range;
  /** Whether values are integers. */
  integer: boolean;
  /** Null until it has been read. */
  counts: Histogram | null;
  /** The colour of the histogram inside of the window. */
  color?: string;
  change(window: [number, number]): void;
}

/** Number of steps of the sliders. */
const STEPS = 1000;

export function windowControl(options: WindowOptions): TemplateResult {
  const { label, window, integer } = options;
  const extent = extentOf(options);
  const [from, to] = extent;
  const side = (at: 0 | 1) => {
    const value = window[at];
    const text = plainNumber(integer ? Math.round(value) : value);
    const name = `${label}: ${at === 0 ? "low" : "high"} limit`;
    const choose = (chosen: number) => options.change(moved(options, at, chosen));
    const slide = (step: string) => choose(from + (Number(step) / STEPS) * (to - from));
    const type = ({ currentTarget }: Event) => {
      const field = currentTarget as HTMLInputElement;
      if (Number.isFinite(field.valueAsNumber)) choose(field.valueAsNumber);
      else field.value = text;
    };
    // If both thumbs are at an end, the one that can move is on top.
    const isOnTop = at === 0 && value - from > (to - from) / 2;
    const step = String(Math.round(((value - from) / (to - from)) * STEPS));
    return [
      html`<input type="range" min="0" max=${STEPS} class=${isOnTop ? "on-top" : ""} aria-label=${name}
        aria-valuetext=${text} .value=${live(step)} @input=${withValue(slide)} />`,
      html`<input type="number" step="any" aria-label="${name}, as a number" @change=${type}
        ${unlessTyping(text)} />`,
    ] as const;
  };
  const [low, high] = [side(0), side(1)];
  return html`<div class="window" role="group" aria-label="Limits of ${label}">
    <div class="track">
      <canvas
        class="histogram"
        width="512"
        height="96"
        aria-hidden="true"
        ${ref(drawing(options, extent))}
      ></canvas>
      <div class="pair">${low[0]}${high[0]}</div>
    </div>
    <div class="numbers">${low[1]}${high[1]}</div>
  </div>`;
}

/** The range of the sliders: that of the data, of the histogram and of the window. */
function extentOf({ limits, counts, window }: WindowOptions): Range {
  const ranges = [limits, window, ...(counts ? [counts.window] : [])];
  const from = Math.min(...ranges.map(([low]) => low));
  const to = Math.max(...ranges.map(([, high]) => high));
  return [from, to > from ? to : from + 1];
}

/** The window with another limit. It moves the other one if it passes it. */
function moved(options: WindowOptions, at: 0 | 1, value: number): [number, number] {
  const { window, integer } = options;
  const [from, to] = extentOf(options);
  const gap = integer ? 1 : (to - from) / STEPS;
  const chosen = integer ? Math.round(value) : value;
  if (at === 0) return [chosen, chosen < window[1] ? window[1] : chosen + gap];
  return [window[0] < chosen ? window[0] : chosen - gap, chosen];
}

/** Draws the histogram when the canvas is in the page, because its colour is that of the page. */
const drawing = (options: WindowOptions, extent: Range) => (canvas: Element | undefined) => {
  if (canvas) queueMicrotask(() => drawBars(canvas as HTMLCanvasElement, options, extent));
};

/** Heights are square roots of counts, so that the tail of a fluorescence image is visible. */
function drawBars(bars: HTMLCanvasElement, options: WindowOptions, [from, to]: Range): void {
  const { counts: found, window, color: own } = options;
  const context = bars.getContext("2d");
  if (!context || !found) return;
  const { width, height } = bars;
  context.clearRect(0, 0, width, height);
  const counts = Array.from(found.counts, Math.sqrt);
  const tallest = counts.reduce((most, count) => Math.max(most, count), 1);
  const across = (value: number) => ((value - from) / (to - from)) * width;
  const step = (found.window[1] - found.window[0]) / counts.length;
  const { color } = getComputedStyle(bars);
  for (const [bin, count] of counts.entries()) {
    const value = found.window[0] + bin * step;
    const isInside = value + step > window[0] && value < window[1];
    context.globalAlpha = isInside ? 0.9 : 0.3;
    context.fillStyle = (isInside && own) || color;
    const left = across(value);
    const tall = (count / tallest) * height;
    context.fillRect(left, height - tall, Math.max(across(value + step) - left, 1), tall);
  }
}
