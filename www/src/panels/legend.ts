/**
 * What the colours of the picture mean, on the picture: for a field a colour bar with title, unit
 * and ticks, for an image the names of its channels. Text of the page, not pixels.
 */

import { element } from "../page/element.js";
import type { FieldStyle, Scene, SceneChannel } from "../scene/scene.js";
import { roundedText, scaleTexts } from "../text/numbers.js";
import { gradient } from "./field.js";

/** Steps between the numbers below the bar. */
const MOST_STEPS = 6;
/** Powers of ten in a range of doubles, before they are thinned. */
const MOST_TICKS = 700;
/** Nearer to an end of the bar than this share, a number would stick out. */
const EDGE = 0.08;
/** Characters that stand below the bar, gaps included. */
const CHARACTERS = 36;
/** More names than these would cover the picture. */
const NAMES = 8;

export class Legend {
  readonly #place: HTMLElement;

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  clear(): void {
    this.#place.hidden = true;
    this.#place.replaceChildren();
  }

  showField({ title, unit }: Pick<Scene, "title" | "unit">, style: FieldStyle): void {
    const [low, high] = style.range.map(roundedText);
    const bar = element("div", {
      class: "bar",
      role: "img",
      "aria-label": `Colours from ${low} to ${high} ${unit}`,
    });
    bar.style.background = gradient(style.colormap, style.reversed);
    const all = ticksOf(style);
    const { ticks, texts } = readable(all, style.log ? all.map(roundedText) : scaleTexts(all));
    const words = element(
      "p",
      { class: "legend-title" },
      title,
      ...(unit ? [" ", element("span", { class: "unit" }, unit)] : []),
    );
    const scale = element("div", { class: "scale" });
    for (const [at, text] of texts.entries()) scale.append(tickLabel(text, shareOf(ticks[at] ?? 0, style)));
    this.#place.replaceChildren(words, bar, scale);
    this.#place.hidden = false;
  }

  showChannels(channels: readonly SceneChannel[]): void {
    const visible = channels.filter((channel) => channel.visible);
    const names = visible.slice(0, NAMES).map(({ name, color }) => {
      const dot = element("span", { class: "dot" });
      dot.style.background = color;
      return element("li", {}, dot, name);
    });
    if (visible.length > NAMES) names.push(element("li", {}, `and ${visible.length - NAMES} more`));
    this.#place.replaceChildren(
      element("ul", { class: "chips", "aria-label": "Channels on show" }, ...names),
    );
    this.#place.hidden = names.length === 0 || channels.length < 2;
  }
}

/** As many of the numbers as stand beside each other. */
function readable(ticks: number[], texts: string[]): { ticks: number[]; texts: string[] } {
  const longest = Math.max(0, ...texts.map(({ length }) => length));
  const every = Math.ceil((texts.length * (longest + 2)) / CHARACTERS);
  const isKept = (_: unknown, at: number) => at % every === 0;
  return { ticks: ticks.filter(isKept), texts: texts.filter(isKept) };
}

/** How far along the bar a value is. */
function shareOf(value: number, { range: [low, high], log }: FieldStyle): number {
  return log && low > 0 ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
}

/** Under its place of the bar; the outer ones stay inside. */
function tickLabel(text: string, share: number): HTMLElement {
  const label = element("span", {}, text);
  label.style.left = `${(share * 100).toFixed(2)}%`;
  const shift = share < EDGE ? "0" : share > 1 - EDGE ? "-100%" : "-50%";
  label.style.transform = `translateX(${shift})`;
  return label;
}

/** Round values inside the range, a few of them; of a logarithmic scale powers of ten. */
function ticksOf({ range: [low, high], log }: FieldStyle): number[] {
  if (log && low > 0) {
    const powers = multiples(Math.log10(low), Math.log10(high), 1).map((power) => 10 ** power);
    if (powers.length > 1) return thinned(powers);
  }
  return multiples(low, high, roundStep((high - low) / MOST_STEPS));
}

/** 1, 2 or 5 times a power of ten: the next that is not smaller. */
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
