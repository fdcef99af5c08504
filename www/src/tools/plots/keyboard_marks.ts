/**
 * Draws marks with the keyboard: arrow keys move the picture below a cross in its middle, and Enter
 * takes the place there. Backspace takes back the last place, Escape all of them.
 */
import { html, render } from "lit-html";
import type { MarkKind, Place } from "../../model/state/marks.js";

export interface KeyboardMarksOptions {
  /** The place in the middle of the picture. */
  middle(): Place;
  sketch(kind: MarkKind, places: readonly Place[]): void;
  finish(kind: MarkKind, places: readonly Place[]): void;
  /** Escape without places. */
  leave(): void;
}

/** The number of places with which a mark is finished; a line ends with Enter at its last place. */
const COUNTS: Record<MarkKind, number> = { point: 1, box: 2, line: Infinity, polygon: Infinity };
const MIN_COUNTS: Record<MarkKind, number> = { point: 1, box: 2, line: 2, polygon: 3 };

export class KeyboardMarks {
  #kind: MarkKind | null = null;
  #places: Place[] = [];
  readonly #cross = document.createElement("div");

  constructor(
    readonly target: HTMLElement,
    readonly options: KeyboardMarksOptions,
  ) {
    this.#cross.className = "cross";
    this.#cross.hidden = true;
    render(
      html`<svg viewBox="0 0 40 40" aria-hidden="true"><path d="M20 2v14M20 24v14M2 20h14M24 20h14" /></svg>`,
      this.#cross,
    );
    target.after(this.#cross);
    target.addEventListener("keydown", (event) => this.#press(event));
  }

  setTool(kind: MarkKind | null): void {
    this.#set([]);
    this.#kind = kind;
    this.#cross.hidden = kind === null;
  }

  #set(places: Place[]): void {
    this.#places = places;
    if (this.#kind) this.options.sketch(this.#kind, places);
  }

  #press(event: KeyboardEvent): void {
    const kind = this.#kind;
    if (!kind || event.target !== this.target || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") this.#take(kind);
    else if (event.key === "Backspace") this.#set(this.#places.slice(0, -1));
    else if (event.key === "Escape") {
      if (this.#places.length === 0) this.options.leave();
      this.#set([]);
    } else return;
    event.preventDefault();
  }

  #take(kind: MarkKind): void {
    const place = this.options.middle();
    const isLast = this.#places.at(-1)?.join() === place.join();
    if (!isLast) this.#set([...this.#places, place]);
    const count = this.#places.length;
    if (count < MIN_COUNTS[kind] || (count < COUNTS[kind] && !isLast)) return;
    const places = this.#places;
    this.#set([]);
    this.options.finish(kind, places);
  }
}
