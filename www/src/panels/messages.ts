/**
 * Messages above the picture: errors with advice, notes, and the reason for an empty picture. The
 * picture stays visible.
 */

import { element, iconButton } from "../page/element.js";
import type { Explanation } from "../text/errors.js";

/** Maximum number of different notes. */
const MOST_NOTES = 50;

export class Messages {
  readonly #place: HTMLElement;
  readonly #said = new Set<string>();

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  clear(): void {
    this.#place.replaceChildren();
  }

  /** Shows a sentence instead of the picture. */
  say(text: string): void {
    this.#place.replaceChildren(
      element("div", { class: "message calm", role: "status" }, element("p", {}, text)),
    );
  }

  /** Shows a note once. */
  note(text: string): void {
    if (this.#said.has(text) || this.#said.size >= MOST_NOTES) return;
    this.#said.add(text);
    const box = element("div", { class: "message note-box", role: "status" }, element("p", {}, text));
    box.append(iconButton("close", "Dismiss", () => box.remove()));
    this.#place.append(box);
  }

  fail({ title, cause, cure, detail }: Explanation): void {
    const more = element("details", {}, element("summary", {}, "Details"), element("pre", {}, detail));
    const box = element(
      "div",
      { class: "message alert", role: "alert" },
      element("h2", {}, title),
      element("p", {}, cause),
      element("p", { class: "cure" }, cure),
      detail ? more : null,
    );
    box.append(iconButton("close", "Dismiss", () => box.remove()));
    this.#place.replaceChildren(box);
  }
}
