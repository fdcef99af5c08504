/**
 * Draws marks with the keyboard: arrow keys move the picture below a cross in its middle, and Enter
 * takes the position there. Backspace takes back the last position, Escape all of them.
 */
import { html, render } from "lit-html";
import type { MarkKind, Position } from "../../model/state/marks.js";

export interface KeyboardMarksOptions {
  /** The position in the middle of the picture. */
  middle(): Position;
  sketch(kind: MarkKind, positions: readonly Position[]): void;
  finish(kind: MarkKind, positions: readonly Position[]): void;
  /** Escape without positions. */
  leave(): void;
}

/**
 * The number of positions with which a mark is finished; a line ends with Enter at its last
 * position.
 */
const COUNTS: Record<MarkKind, number> = { point: 1, box: 2, line: Infinity, polygon: Infinity };
const MIN_COUNTS: Record<MarkKind, number> = { point: 1, box: 2, line: 2, polygon: 3 };

export class KeyboardMarks {
  #kind: MarkKind | null = null;
  #positions: Position[] = [];
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

  #set(positions: Position[]): void {
    this.#positions = positions;
    if (this.#kind) this.options.sketch(this.#kind, positions);
  }

  #press(event: KeyboardEvent): void {
    const kind = this.#kind;
    if (!kind || event.target !== this.target || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") this.#take(kind);
    else if (event.key === "Backspace") this.#set(this.#positions.slice(0, -1));
    else if (event.key === "Escape") {
      if (this.#positions.length === 0) this.options.leave();
      this.#set([]);
    } else return;
    event.preventDefault();
  }

  #take(kind: MarkKind): void {
    const position = this.options.middle();
    const isLast = this.#positions.at(-1)?.join() === position.join();
    if (!isLast) this.#set([...this.#positions, position]);
    const count = this.#positions.length;
    if (count < MIN_COUNTS[kind] || (count < COUNTS[kind] && !isLast)) return;
    const positions = this.#positions;
    this.#set([]);
    this.options.finish(kind, positions);
  }
}
