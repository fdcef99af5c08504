/**
 * Sliders for the dimensions outside of the plane. A row has the name, the coordinate or date, the
 * index, and a play button, whose steps `player.ts` shows. The caller says which dimensions have a
 * row.
 */

import { html, render, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import { live } from "lit-html/directives/live.js";
import type { AxisTexts } from "../../model/scene/coordinates.js";
import type { PlayState } from "../../model/state/url_state.js";
import { iconButton, tickBox, unlessTyping, withValue } from "../page/element.js";
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
  /** The user has changed how dimensions are played. */
  onPlay(play: PlayState): void;
}

/** Steps per second. */
const SPEEDS = [1, 2, 5, 10, 20];
const USUAL: PlayState = { speed: 5, isLoop: true };

export class Dimensions {
  #dimensions: readonly Dimension[] = [];
  #at: Record<string, number> = {};
  /** The names of the places along dimensions. */
  #texts: AxisTexts | undefined;
  #playing: { name: string; stop: () => void } | null = null;
  #play: PlayState = USUAL;

  constructor(
    readonly element: HTMLElement,
    readonly options: DimensionsOptions,
  ) {}

  /** `at` has the indices by name. */
  show(dimensions: readonly Dimension[], at: Record<string, number> = {}, texts?: AxisTexts): void {
    this.#playing?.stop();
    [this.#dimensions, this.#at, this.#texts] = [dimensions, { ...at }, texts];
    if (texts) texts.onText = () => this.#render();
    this.element.hidden = dimensions.length === 0;
    this.#render();
  }

  /** Shows indices that were chosen elsewhere. */
  follow(at: Record<string, number>): void {
    this.#at = { ...at };
    this.#render();
  }

  /** Sets how dimensions are played. Speeds that cannot be chosen are ignored. */
  setPlay({ speed, isLoop }: PlayState = USUAL): void {
    this.#play = { speed: SPEEDS.includes(speed) ? speed : USUAL.speed, isLoop };
  }

  #render(): void {
    const speed = (each: number) =>
      html`<option value=${each} ?selected=${each === this.#play.speed}>${each} / s</option>`;
    const change = (changed: Partial<PlayState>) => {
      this.#play = { ...this.#play, ...changed };
      this.options.onPlay(this.#play);
    };
    const rows = html`<div class="rows">${this.#dimensions.map((dimension) => this.#row(dimension))}</div>
      <div class="playing" role="group" aria-label="Playing">
        <select
          id="play-speed"
          aria-label="Speed of playing"
          title="Speed of playing"
          @change=${withValue((value) => change({ speed: Number(value) }))}
        >${SPEEDS.map(speed)}</select>
        ${tickBox("Loop", this.#play.isLoop, (isLoop) => change({ isLoop }))}
      </div>`;
    render(keyed(this.#dimensions, rows), this.element);
  }

  #row(dimension: Dimension): TemplateResult {
    const { name, length } = dimension;
    const index = this.#at[name] ?? 0;
    const text = this.#texts?.text(name, index) ?? "";
    const label = this.#texts?.label(name) ?? name;
    const isPlaying = this.#playing?.name === name;
    const follow = withValue((value) => {
      const wanted = Math.round(Number(value));
      if (value === "" || !(wanted >= 0 && wanted < length)) return;
      this.choose(name, wanted);
    });
    const press = () => (isPlaying ? this.#playing?.stop() : this.#start(dimension));
    return html`<div class="dimension" data-name=${name}>
      ${iconButton(isPlaying ? "pause" : "play", `${isPlaying ? "Pause" : "Play"} ${name}`, press)}
      <span class="name" title=${label}>${label}</span>
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

  /** Shows an index, and stops playing. */
  choose(name: string, index: number): void {
    this.#playing?.stop();
    this.#choose(name, index);
  }

  #choose(name: string, index: number): void {
    this.#at[name] = index;
    this.#render();
    this.options.choose(name, index);
  }

  #start({ name, length }: Dimension): void {
    this.#playing?.stop();
    const stop = play({
      length,
      start: this.#at[name] ?? 0,
      speed: () => this.#play.speed,
      isLoop: () => this.#play.isLoop,
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
