/** Contrast on the page: a histogram over the colour bar, the two limits as sliders and numbers, the colour map, and whether limits follow the data. */

import { COLOUR_MAPS, type Colour, coloursOf } from "./colour_map.js";
import type { Distribution, Range } from "./contrast.js";
import { element } from "./element.js";
import { roundedText } from "./number_text.js";

/** Steps of the two sliders over the extent of the data. */
const STEPS = 1000;

export class ContrastPanel {
  onRange: (range: Range, automatic: boolean) => void = () => {};
  onColours: (colours: readonly Colour[], name: string) => void = () => {};

  range: Range = { low: 0, high: 1 };
  automatic = true;

  #distribution: Distribution | null = null;
  readonly #auto = element("input", { type: "checkbox", id: "contrast-auto", checked: true });
  readonly #maps = element("select", { id: "colours", "aria-label": "Colours" });
  readonly #bars = element("canvas", { class: "histogram", width: 384, height: 56, "aria-hidden": "true" });
  readonly #bar = element("canvas", { class: "colour-bar", width: 256, height: 1, "aria-hidden": "true" });
  readonly #inputs = {
    low: { slider: slider("Low limit"), number: limit("Low limit") },
    high: { slider: slider("High limit"), number: limit("High limit") },
  };

  constructor(place: HTMLElement) {
    this.#maps.append(...COLOUR_MAPS.map((name) => element("option", { value: name }, name)));
    this.#maps.addEventListener("change", () => this.setColours(this.#maps.value));
    this.#auto.addEventListener("change", () => this.#setAutomatic(this.#auto.checked));
    const { low, high } = this.#inputs;
    for (const side of ["low", "high"] as const) {
      this.#inputs[side].slider.addEventListener("input", () => this.#fromSlider(side));
      this.#inputs[side].number.addEventListener("change", () => this.#fromNumber(side));
    }
    const automatic = element(
      "label",
      { title: "Automatic contrast: the limits follow the values on show" },
      this.#auto,
      "Auto",
    );
    place.append(
      element(
        "div",
        { class: "scale" },
        this.#bars,
        this.#bar,
        element("div", { class: "limits" }, low.slider, high.slider),
      ),
      element("div", { class: "numbers" }, low.number, automatic, this.#maps, high.number),
    );
  }

  setColours(name: string): void {
    this.#maps.value = COLOUR_MAPS.includes(name) ? name : (COLOUR_MAPS[0] ?? "");
    this.onColours(coloursOf(this.#maps.value), this.#maps.value);
    this.#draw();
  }

  /** Limits chosen by a person, or by an address. */
  setRange(range: Range): void {
    this.automatic = this.#auto.checked = false;
    this.#take(range);
  }

  /** What the values on show look like; the limits go with them while they are automatic. */
  setDistribution(found: Distribution): void {
    this.#distribution = found;
    if (this.automatic) this.#take(found.automatic);
    else this.#draw();
  }

  /** Back to limits that follow the data, for another array. */
  reset(): void {
    this.#distribution = null;
    this.automatic = this.#auto.checked = true;
  }

  #setAutomatic(automatic: boolean): void {
    this.automatic = automatic;
    this.#take(automatic && this.#distribution ? this.#distribution.automatic : this.range);
  }

  #take(range: Range): void {
    this.range = range;
    this.#draw();
    this.onRange(range, this.automatic);
  }

  #fromSlider(side: "low" | "high"): void {
    const { low, high } = this.#extent();
    const value = low + (Number(this.#inputs[side].slider.value) / STEPS) * (high - low);
    this.#limit(side, value);
  }

  #fromNumber(side: "low" | "high"): void {
    const { value } = this.#inputs[side].number;
    if (value !== "" && Number.isFinite(Number(value))) this.#limit(side, Number(value));
    else this.#draw();
  }

  /** One limit moved; the other gives way rather than be passed. */
  #limit(side: "low" | "high", value: number): void {
    const { low, high } = this.#extent();
    const gap = (high - low) / STEPS;
    const range = { ...this.range, [side]: value };
    if (range.low >= range.high)
      range[side === "low" ? "high" : "low"] = side === "low" ? value + gap : value - gap;
    this.setRange(range);
  }

  /** What the sliders span: the data, and the limits when they lie outside it. */
  #extent(): Range {
    const extent = this.#distribution?.extent ?? this.range;
    return { low: Math.min(extent.low, this.range.low), high: Math.max(extent.high, this.range.high) };
  }

  #draw(): void {
    const extent = this.#extent();
    for (const side of ["low", "high"] as const) {
      const { slider, number } = this.#inputs[side];
      const share = (this.range[side] - extent.low) / (extent.high - extent.low);
      slider.value = String(Math.round(share * STEPS));
      slider.setAttribute("aria-valuetext", roundedText(this.range[side]));
      if (document.activeElement !== number) number.value = roundedText(this.range[side]);
    }
    this.#drawBar(extent);
    this.#drawHistogram(extent);
  }

  #drawBar(extent: Range): void {
    const image = new ImageData(256, 1);
    const colours = coloursOf(this.#maps.value);
    for (let step = 0; step < 256; step++) {
      const value = extent.low + (step / 255) * (extent.high - extent.low);
      const share = (value - this.range.low) / (this.range.high - this.range.low);
      image.data.set(
        [...(colours[Math.max(0, Math.min(255, Math.round(share * 255)))] ?? [0, 0, 0]), 255],
        step * 4,
      );
    }
    this.#bar.getContext("2d")?.putImageData(image, 0, 0);
  }

  /** Heights go by the square root: the tail of a fluorescence picture is what one sets the limits for. */
  #drawHistogram(extent: Range): void {
    const context = this.#bars.getContext("2d");
    const found = this.#distribution;
    if (!context) return;
    const { width, height } = this.#bars;
    context.clearRect(0, 0, width, height);
    if (!found) return;
    context.fillStyle = getComputedStyle(this.#bars).color;
    const tallest = Math.sqrt(Math.max(...found.histogram));
    const span = extent.high - extent.low;
    const unit = (width * (found.extent.high - found.extent.low)) / span / found.histogram.length;
    const start = (width * (found.extent.low - extent.low)) / span;
    for (const [index, count] of found.histogram.entries()) {
      const tall = (Math.sqrt(count) / tallest) * height;
      context.fillRect(start + index * unit, height - tall, Math.max(unit, 0.5), tall);
    }
  }
}

function slider(label: string): HTMLInputElement {
  return element("input", { type: "range", min: 0, max: STEPS, value: 0, "aria-label": label });
}

function limit(label: string): HTMLInputElement {
  return element("input", { type: "number", step: "any", "aria-label": label });
}
