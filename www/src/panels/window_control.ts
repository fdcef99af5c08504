/**
 * The control of two limits: a histogram, two sliders on one track, and two number fields. It is
 * used for the window of a channel and the range of a field. It reports changes to its owner.
 */

import { element } from "../page/element.js";
import { plainNumber } from "../text/numbers.js";

export type Limits = readonly [low: number, high: number];

/** The used part of `zarr.Histogram`. */
export interface Counts {
  readonly counts: ArrayLike<number>;
  readonly window: Limits;
}

export interface WindowOptions {
  /** The name of the limited quantity, for the names of the controls. */
  label: string;
  limits: Limits;
  window: Limits;
  /** Whether values are integers. */
  integer: boolean;
  /** The colour of the histogram inside of the window. */
  color?: string;
}

/** Number of steps of the sliders. */
const STEPS = 1000;
const SIDES = ["low", "high"] as const;
type Side = (typeof SIDES)[number];

export class WindowControl {
  onChange: (window: [number, number]) => void = () => {};
  readonly element: HTMLElement;

  readonly #options: WindowOptions;
  #limits: Limits;
  #window: [number, number];
  #counts: Counts | null = null;
  readonly #bars = element("canvas", { class: "histogram", width: 512, height: 96, "aria-hidden": "true" });
  readonly #sliders: Record<Side, HTMLInputElement>;
  readonly #numbers: Record<Side, HTMLInputElement>;

  constructor(options: WindowOptions) {
    this.#options = options;
    this.#limits = options.limits;
    this.#window = [...options.window];
    this.#sliders = { low: this.#slider("low"), high: this.#slider("high") };
    this.#numbers = { low: this.#number("low"), high: this.#number("high") };
    const { low, high } = this.#sliders;
    this.element = element(
      "div",
      { class: "window", role: "group", "aria-label": `Limits of ${options.label}` },
      element("div", { class: "track" }, this.#bars, element("div", { class: "pair" }, low, high)),
      element("div", { class: "numbers" }, this.#numbers.low, this.#numbers.high),
    );
    this.#draw();
  }

  setWindow(window: Limits): void {
    this.#window = [...window];
    this.#draw();
  }

  setHistogram(counts: Counts): void {
    this.#counts = counts;
    const [low, high] = this.#limits;
    this.#limits = [Math.min(low, counts.window[0]), Math.max(high, counts.window[1])];
    this.#draw();
  }

  setColor(color: string): void {
    this.#options.color = color;
    this.#draw();
  }

  #slider(side: Side): HTMLInputElement {
    const label = `${this.#options.label}: ${side} limit`;
    const slider = element("input", { type: "range", min: 0, max: STEPS, value: 0, "aria-label": label });
    slider.addEventListener("input", () => {
      const [low, high] = this.#extent();
      this.#choose(side, low + (Number(slider.value) / STEPS) * (high - low));
    });
    return slider;
  }

  #number(side: Side): HTMLInputElement {
    const label = `${this.#options.label}: ${side} limit, as a number`;
    const number = element("input", { type: "number", step: "any", "aria-label": label });
    number.addEventListener("change", () => {
      if (number.value === "" || !Number.isFinite(Number(number.value))) this.#draw();
      else this.#choose(side, Number(number.value));
    });
    return number;
  }

  /** Sets one limit. It moves the other one if it passes it. */
  #choose(side: Side, value: number): void {
    const [low, high] = this.#extent();
    const gap = this.#options.integer ? 1 : (high - low) / STEPS;
    const chosen = this.#options.integer ? Math.round(value) : value;
    const window: [number, number] = side === "low" ? [chosen, this.#window[1]] : [this.#window[0], chosen];
    if (!(window[0] < window[1]))
      window[side === "low" ? 1 : 0] = side === "low" ? chosen + gap : chosen - gap;
    this.setWindow(window);
    this.onChange(window);
  }

  /** The range of the sliders: that of the data and of the window. */
  #extent(): Limits {
    const [low, high] = this.#limits;
    const from = Math.min(low, this.#window[0]);
    const to = Math.max(high, this.#window[1]);
    return [from, to > from ? to : from + 1];
  }

  #draw(): void {
    const [from, to] = this.#extent();
    for (const [at, side] of SIDES.entries()) {
      const value = this.#window[at] ?? 0;
      const text = plainNumber(this.#options.integer ? Math.round(value) : value);
      const slider = this.#sliders[side];
      slider.value = String(Math.round(((value - from) / (to - from)) * STEPS));
      slider.setAttribute("aria-valuetext", text);
      if (document.activeElement !== this.#numbers[side]) this.#numbers[side].value = text;
    }
    // If both thumbs are at an end, the one that can move is on top.
    this.#sliders.low.classList.toggle("on-top", this.#window[0] - from > (to - from) / 2);
    this.#drawBars();
  }

  /** Heights are square roots of counts, so that the tail of a fluorescence image is visible. */
  #drawBars(): void {
    const context = this.#bars.getContext("2d");
    const found = this.#counts;
    if (!context || !found) return;
    const { width, height } = this.#bars;
    context.clearRect(0, 0, width, height);
    const counts = Array.from(found.counts, Math.sqrt);
    const tallest = counts.reduce((most, count) => Math.max(most, count), 1);
    const [from, to] = this.#extent();
    const across = (value: number) => ((value - from) / (to - from)) * width;
    const step = (found.window[1] - found.window[0]) / counts.length;
    const { color } = getComputedStyle(this.#bars);
    for (const [bin, count] of counts.entries()) {
      const value = found.window[0] + bin * step;
      const isInside = value + step > this.#window[0] && value < this.#window[1];
      context.globalAlpha = isInside ? 0.9 : 0.3;
      context.fillStyle = (isInside && this.#options.color) || color;
      const left = across(value);
      const tall = (count / tallest) * height;
      context.fillRect(left, height - tall, Math.max(across(value + step) - left, 1), tall);
    }
  }
}
