/** The panel of a field's colours: the colormap, the limits and the logarithmic scale. */

import { element, tickBox } from "../page/element.js";
import { COLORMAPS, colormapColors } from "../scene/colormaps.js";
import type { FieldStyle } from "../scene/scene.js";
import { type Counts, WindowControl } from "./window_control.js";

export interface FieldSource {
  title: string;
  style: FieldStyle;
  /** The lowest and the highest known value. */
  limits: readonly [low: number, high: number];
  integer: boolean;
  histogram(): Promise<Counts>;
  /** The limits of the values in view. */
  limitsInView(): Promise<[number, number] | null>;
}

/** A lower limit without a logarithm becomes the upper one, divided by the root of this. */
const MOST_DECADES = 1e6;

export class Field {
  onChange: (style: FieldStyle) => void = () => {};

  readonly #place: HTMLElement;
  #style: FieldStyle = { colormap: "viridis", range: [0, 1], log: false, reversed: false };
  #window: WindowControl | null = null;
  #swatch = element("span", { class: "swatch" });
  #name = element("span", {});

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  show(source: FieldSource): void {
    this.#style = { ...source.style };
    const { title, limits, integer } = source;
    const window = new WindowControl({ label: title, limits, window: this.#style.range, integer });
    window.onChange = (range) => this.#change({ range });
    this.#window = window;
    const first = source.style.range;
    this.#place.replaceChildren(
      this.#maps(),
      window.element,
      element(
        "div",
        { class: "actions" },
        button("Rescale to view", () => void this.#rescale(source)),
        button("Reset", () => this.#setRange(first)),
      ),
      element(
        "div",
        { class: "ticks" },
        tickBox("Logarithmic", this.#style.log, (log) => this.#setLog(log)),
        tickBox("Reversed", this.#style.reversed, (reversed) => this.#change({ reversed })),
      ),
    );
    // Without a histogram the sliders still work.
    source.histogram().then(
      (counts) => window.setHistogram(counts),
      () => {},
    );
  }

  #maps(): HTMLElement {
    const choices = COLORMAPS.map(({ name }) => {
      const radio = element("input", {
        type: "radio",
        name: "colormap",
        value: name,
        checked: name === this.#style.colormap,
      });
      radio.addEventListener("change", () => this.#change({ colormap: name }));
      const swatch = element("span", { class: "swatch" });
      swatch.style.background = gradient(name, false);
      return element("label", {}, radio, swatch, element("span", {}, name));
    });
    this.#showMap();
    return element(
      "details",
      { class: "colormaps" },
      element("summary", {}, element("span", { class: "hidden" }, "Colormap: "), this.#swatch, this.#name),
      element("fieldset", {}, element("legend", { class: "hidden" }, "Colormap"), ...choices),
    );
  }

  #showMap(): void {
    const { colormap, reversed } = this.#style;
    this.#swatch.style.background = gradient(colormap, reversed);
    this.#name.textContent = colormap;
  }

  async #rescale({ limitsInView, integer }: FieldSource): Promise<void> {
    const found = await limitsInView();
    if (!found) return;
    const [low, high] = integer ? [Math.floor(found[0]), Math.ceil(found[1])] : found;
    this.#setRange([low, high > low ? high : low + 1]);
  }

  /** A logarithmic scale needs limits above zero. */
  #setLog(log: boolean): void {
    const [low, high] = this.#style.range;
    const top = high > 0 ? high : 1;
    const range: [number, number] = log && low <= 0 ? [top / MOST_DECADES ** 0.5, top] : [low, high];
    this.#window?.setWindow(range);
    this.#change({ log, range });
  }

  #setRange(range: [number, number]): void {
    this.#window?.setWindow(range);
    this.#change({ range });
  }

  #change(change: Partial<FieldStyle>): void {
    this.#style = { ...this.#style, ...change };
    this.#showMap();
    this.onChange({ ...this.#style });
  }
}

const button = (text: string, press: () => void) =>
  element("button", { type: "button", onclick: press }, text);

export function gradient(colormap: string, reversed: boolean, direction = "to right"): string {
  const colors = colormapColors(colormap, 24, reversed);
  return `linear-gradient(${direction}, ${(colors.length > 1 ? colors : ["#000", "#fff"]).join(", ")})`;
}
