/** Words in place of the picture: what is being opened, what went wrong, why there is nothing to draw. */

import { element } from "./element.js";
import type { Explanation } from "./errors.js";

export class MessageView {
  readonly #place: HTMLElement;

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  clear(): void {
    this.#place.hidden = true;
    this.#place.replaceChildren();
  }

  /** A sentence that is no failure. */
  say(text: string): void {
    this.#show("status", element("p", { class: "calm" }, text));
  }

  fail({ title, cause, cure, detail }: Explanation): void {
    this.#show(
      "alert",
      element("h2", {}, title),
      element("p", {}, cause),
      element("p", { class: "cure" }, cure),
      detail ? element("pre", {}, detail) : null,
      element("button", { type: "button", onclick: () => this.clear() }, "Dismiss"),
    );
  }

  #show(role: "status" | "alert", ...content: (HTMLElement | null)[]): void {
    const box = element("div", { role, class: role }, ...content);
    this.#place.replaceChildren(box);
    this.#place.hidden = false;
  }
}
