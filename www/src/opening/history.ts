/**
 * The browser's history: one entry for each data set or node that was shown, kept in step with what
 * is shown of it. Back returns to the entry before, as it was left.
 */

import { readUrlState, type UrlState, writeUrlState } from "./url_state.js";

/** Browsers refuse more than about a hundred changes of the address in half a minute. */
const ADDRESS_MS = 400;

export class PageHistory {
  /** A person went back or forth; resolves once that is on show, or has failed. */
  onMove: (state: UrlState) => Promise<void> = async () => {};

  /** What the page shows now. */
  readonly #state: () => UrlState;
  #timer = 0;
  /** Moves under way: what is still on show belongs to another entry. */
  #moves = 0;

  constructor(state: () => UrlState) {
    this.#state = state;
    addEventListener("popstate", () => {
      clearTimeout(this.#timer);
      this.#timer = 0;
      this.#moves += 1;
      void this.onMove(readUrlState(location.search)).finally(() => {
        this.#moves -= 1;
        this.changed();
      });
    });
  }

  /**
   * Another data set or node is about to be shown: what is on show stays behind under its own
   * entry.
   */
  leave(): void {
    this.#write();
    history.pushState(null, "", location.href);
  }

  /** What is shown has changed a little. */
  changed(): void {
    if (this.#timer === 0) this.#timer = window.setTimeout(() => this.#write(), ADDRESS_MS);
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (this.#moves > 0) return;
    history.replaceState(null, "", writeUrlState(this.#state()));
  }
}
