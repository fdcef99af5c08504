/**
 * Sliders for the dimensions outside of the plane. A row has the name, the coordinate or date, the
 * index, and a play button. The caller says which dimensions have a row.
 */

import { element } from "../page/element.js";
import { icon } from "../page/icons.js";
import { play } from "./player.js";

export interface Dimension {
  name: string;
  length: number;
  index: number;
}

/** Steps per second. */
const SPEEDS = [1, 2, 5, 10, 20];

export class Dimensions {
  /** The user or playing has chosen an index. */
  onIndex: (name: string, index: number) => void = () => {};
  /** Reads the data of another index. */
  preload: (name: string, index: number) => Promise<void> = async () => {};
  /** Resolves when the chosen index is drawn. */
  shown: () => Promise<void> = async () => {};

  readonly #place: HTMLElement;
  readonly #rows = new Map<string, Row>();
  readonly #speed = element(
    "select",
    { id: "play-speed", "aria-label": "Speed of playing", title: "Speed of playing" },
    ...SPEEDS.map((speed) => element("option", { value: speed, selected: speed === 5 }, `${speed} / s`)),
  );
  readonly #loop = element("input", { type: "checkbox", checked: true });

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  show(dimensions: readonly Dimension[]): void {
    this.stop();
    this.#rows.clear();
    const settings = {
      speed: () => Number(this.#speed.value),
      isLoop: () => this.#loop.checked,
      preload: (name: string, index: number) => this.preload(name, index),
      choose: (name: string, index: number) => this.onIndex(name, index),
      shown: () => this.shown(),
      stopOthers: () => this.stop(),
    };
    for (const dimension of dimensions) this.#rows.set(dimension.name, new Row(dimension, settings));
    this.#place.hidden = this.#rows.size === 0;
    const loop = element("label", { class: "tick" }, this.#loop, element("span", {}, "Loop"));
    this.#place.replaceChildren(
      element("div", { class: "rows" }, ...[...this.#rows.values()].map((row) => row.element)),
      element("div", { class: "playing", role: "group", "aria-label": "Playing" }, this.#speed, loop),
    );
  }

  /** Sets the names of the places along a dimension. */
  setText(name: string, text: (index: number) => string): void {
    this.#rows.get(name)?.setText(text);
  }

  stop(): void {
    for (const row of this.#rows.values()) row.stop();
  }
}

interface Settings {
  speed(): number;
  isLoop(): boolean;
  preload(name: string, index: number): Promise<void>;
  choose(name: string, index: number): void;
  shown(): Promise<void>;
  stopOthers(): void;
}

class Row {
  readonly element: HTMLElement;
  readonly #dimension: Dimension;
  readonly #settings: Settings;
  readonly #range: HTMLInputElement;
  readonly #number: HTMLInputElement;
  readonly #place = element("output", { class: "coordinate" });
  readonly #button: HTMLButtonElement;
  #text: (index: number) => string = () => "";
  #end: (() => void) | null = null;

  constructor(dimension: Dimension, settings: Settings) {
    this.#dimension = { ...dimension };
    this.#settings = settings;
    const { name, length, index } = dimension;
    const shared = { min: 0, max: length - 1, step: 1, value: index };
    this.#range = element("input", { type: "range", "aria-label": name, ...shared });
    this.#number = element("input", { type: "number", "aria-label": `Index of ${name}`, ...shared });
    this.#button = element("button", { type: "button", class: "icon-button", onclick: () => this.#toggle() });
    this.#showButton();
    this.#range.addEventListener("input", () => this.#follow(this.#range));
    this.#number.addEventListener("input", () => this.#follow(this.#number));
    this.element = element(
      "div",
      { class: "dimension" },
      this.#button,
      element("span", { class: "name", title: name }, name),
      this.#range,
      this.#place,
      element("span", { class: "index" }, this.#number, element("span", {}, `/ ${length - 1}`)),
    );
    this.element.dataset.name = name;
    this.#tell();
  }

  setText(text: (index: number) => string): void {
    this.#text = text;
    this.#tell();
  }

  stop(): void {
    this.#end?.();
  }

  #follow(from: HTMLInputElement): void {
    const index = Math.round(Number(from.value));
    if (from.value === "" || !(index >= 0 && index < this.#dimension.length)) return;
    this.stop();
    this.#choose(index);
  }

  #choose(index: number): void {
    this.#dimension.index = index;
    this.#tell();
    this.#settings.choose(this.#dimension.name, index);
  }

  #tell(): void {
    const { index } = this.#dimension;
    const text = this.#text(index);
    this.#range.value = String(index);
    if (document.activeElement !== this.#number) this.#number.value = String(index);
    this.#range.setAttribute("aria-valuetext", text === "" ? String(index) : text);
    // A coordinate that equals the index is not shown.
    this.#place.textContent = text === String(index) ? "" : text;
    this.#place.title = text;
  }

  #toggle(): void {
    if (this.#end) {
      this.#end();
      return;
    }
    this.#settings.stopOthers();
    const { name, length, index } = this.#dimension;
    const { speed, isLoop, preload, shown } = this.#settings;
    this.#end = play({
      length,
      start: index,
      speed,
      isLoop,
      preload: (step) => preload(name, step),
      show: (step) => {
        this.#choose(step);
        return shown();
      },
      onEnd: () => {
        this.#end = null;
        this.#showButton();
      },
    });
    this.#showButton();
  }

  #showButton(): void {
    const label = `${this.#end ? "Pause" : "Play"} ${this.#dimension.name}`;
    this.#button.setAttribute("aria-label", label);
    this.#button.title = label;
    this.#button.replaceChildren(icon(this.#end ? "pause" : "play"));
  }
}
