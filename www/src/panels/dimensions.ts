/**
 * Sliders for the dimensions outside of the plane. A row has the name, the coordinate or date, the
 * index, and a play button, whose steps `player.ts` shows. The caller says which dimensions have a
 * row.
 */

import { html, render, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import { live } from "lit-html/directives/live.js";
import { iconButton, tickBox, unlessTyping, withValue } from "../page/element.js";
import type { AxisTexts } from "../scene/coordinates.js";
import { play } from "./player.js";

interface Dimension {
  name: string;
  length: number;
}

export interface DimensionsOptions {
  /** The user or playing has chosen an index. */
  choose(name: string, index: number): void;
  /** Reads the data of another index. */
  preload(name: string, index: number): Promise<void>;
  /** Resolves when the chosen index is drawn. */
  shown(): Promise<void>;
}

/** Steps per second. */
const SPEEDS = [1, 2, 5, 10, 20];

export class Dimensions {
  #dimensions: readonly Dimension[] = [];
  #at: Record<string, number> = {};
  /** The names of the places along dimensions. */
  #texts: AxisTexts | undefined;
  #playing: { name: string; stop: () => void } | null = null;
  #speed = 5;
  #isLoop = true;

  constructor(
    readonly place: HTMLElement,
    readonly options: DimensionsOptions,
  ) {}

  /** `at` has the indices by name. */
  show(dimensions: readonly Dimension[], at: Record<string, number> = {}, texts?: AxisTexts): void {
    this.#playing?.stop();
    [this.#dimensions, this.#at, this.#texts] = [dimensions, { ...at }, texts];
    if (texts) texts.onText = () => this.#render();
    this.place.hidden = dimensions.length === 0;
    this.#render();
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
    render(keyed(this.#dimensions, rows), this.place);
  }

  #row(dimension: Dimension): TemplateResult {
    const { name, length } = dimension;
    const index = this.#at[name] ?? 0;
    const text = this.#texts?.text(name, index) ?? "";
    const isPlaying = this.#playing?.name === name;
    const follow = withValue((value) => {
      const wanted = Math.round(Number(value));
      if (value === "" || !(wanted >= 0 && wanted < length)) return;
      this.#playing?.stop();
      this.#choose(name, wanted);
    });
    const press = () => (isPlaying ? this.#playing?.stop() : this.#play(dimension));
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

  #choose(name: string, index: number): void {
    this.#at[name] = index;
    this.#render();
    this.options.choose(name, index);
  }

  #play({ name, length }: Dimension): void {
    this.#playing?.stop();
    const stop = play({
      length,
      start: this.#at[name] ?? 0,
      speed: () => this.#speed,
      isLoop: () => this.#isLoop,
      preload: (step) => this.options.preload(name, step),
      show: (step) => {
        this.#choose(name, step);
        return this.options.shown();
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
