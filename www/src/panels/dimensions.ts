/**
 * Sliders for the dimensions outside of the plane. A row has the name, the coordinate or date, the
 * index, and a play button. The caller says which dimensions have a row.
 */

import { html, render, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import { live } from "lit-html/directives/live.js";
import { iconButton, tickBox, unlessTyping, withValue } from "../page/element.js";
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
  #dimensions: readonly Dimension[] = [];
  /** The names of the places along dimensions. */
  #texts = new Map<string, (index: number) => string>();
  #playing: { name: string; stop: () => void } | null = null;
  #speed = 5;
  #isLoop = true;

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  show(dimensions: readonly Dimension[]): void {
    this.stop();
    this.#dimensions = dimensions.map((dimension) => ({ ...dimension }));
    this.#texts = new Map();
    this.#place.hidden = dimensions.length === 0;
    this.#render();
  }

  /** Sets the names of the places along a dimension. */
  setText(name: string, text: (index: number) => string): void {
    this.#texts.set(name, text);
    this.#render();
  }

  stop(): void {
    this.#playing?.stop();
  }

  #render(): void {
    const speed = (each: number) =>
      html`<option value=${each} ?selected=${each === this.#speed}>${each} / s</option>`;
    const setSpeed = (value: string) => {
      this.#speed = Number(value);
    };
    const setLoop = (isLoop: boolean) => {
      this.#isLoop = isLoop;
    };
    const rows = html`<div class="rows">${this.#dimensions.map((dimension) => this.#row(dimension))}</div>
      <div class="playing" role="group" aria-label="Playing">
        <select
          id="play-speed"
          aria-label="Speed of playing"
          title="Speed of playing"
          @change=${withValue(setSpeed)}
        >${SPEEDS.map(speed)}</select>
        ${tickBox("Loop", this.#isLoop, setLoop)}
      </div>`;
    render(keyed(this.#dimensions, rows), this.#place);
  }

  #row(dimension: Dimension): TemplateResult {
    const { name, length, index } = dimension;
    const text = this.#texts.get(name)?.(index) ?? "";
    const isPlaying = this.#playing?.name === name;
    const follow = withValue((value) => {
      const wanted = Math.round(Number(value));
      if (value === "" || !(wanted >= 0 && wanted < length)) return;
      this.stop();
      this.#choose(dimension, wanted);
    });
    const press = () => (isPlaying ? this.stop() : this.#play(dimension));
    return html`<div class="dimension" data-name=${name}>
      ${iconButton(isPlaying ? "pause" : "play", `${isPlaying ? "Pause" : "Play"} ${name}`, press)}
      <span class="name" title=${name}>${name}</span>
      <input
        type="range"
        min="0"
        max=${length - 1}
        step="1"
        aria-label=${name}
        aria-valuetext=${text || index}
        .value=${live(String(index))}
        @input=${follow}
      />
      <output class="coordinate" title=${text}>${text === String(index) ? "" : text}</output>
      <span class="index">
        <input
          type="number"
          min="0"
          max=${length - 1}
          step="1"
          aria-label="Index of ${name}"
          @input=${follow}
          ${unlessTyping(String(index))}
        />
        <span>/ ${length - 1}</span>
      </span>
    </div>`;
  }

  #choose(dimension: Dimension, index: number): void {
    dimension.index = index;
    this.#render();
    this.onIndex(dimension.name, index);
  }

  #play(dimension: Dimension): void {
    this.stop();
    const { name, length, index } = dimension;
    const stop = play({
      length,
      start: index,
      speed: () => this.#speed,
      isLoop: () => this.#isLoop,
      preload: (step) => this.preload(name, step),
      show: (step) => {
        this.#choose(dimension, step);
        return this.shown();
      },
      onEnd: () => {
        this.#playing = null;
        this.#render();
      },
    });
    this.#playing = { name, stop };
    this.#render();
  }
}
