/**
 * What the colours of the picture mean, on the picture: for a field a colour bar with title, unit and ticks, for an image the
 * names of its channels. Text of the page, not pixels.
 */

import { element } from "../page/element.js";
import type { FieldStyle, Scene, SceneChannel } from "../scene/scene.js";
import { roundedText, scaleTexts } from "../text/numbers.js";
import { gradient } from "./field.js";

const TICKS = 5;
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

  showField({ title, unit, integer }: Pick<Scene, "title" | "unit" | "integer">, style: FieldStyle): void {
    const bar = element("div", { class: "bar" });
    bar.style.background = gradient(style.colormap, style.reversed);
    const ticks = ticksOf(style, integer);
    const texts = style.log ? ticks.map(roundedText) : scaleTexts(ticks);
    const words = element(
      "p",
      { class: "legend-title" },
      title,
      ...(unit ? [" ", element("span", { class: "unit" }, unit)] : []),
    );
    const scale = element("div", { class: "scale" }, ...texts.map((text) => element("span", {}, text)));
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

/** Values at equal distances along the bar: whole numbers where values are, as far as the range can be divided so. */
function ticksOf({ range: [low, high], log }: FieldStyle, integer: boolean): number[] {
  const isLog = log && low > 0;
  const isDivided = (count: number) => Number.isInteger((high - low) / (count - 1));
  const count = integer && !isLog ? ([5, 4, 6, 3].find(isDivided) ?? TICKS) : TICKS;
  return Array.from({ length: count }, (_, step) => {
    const share = step / (count - 1);
    return isLog ? low * (high / low) ** share : low + share * (high - low);
  });
}
