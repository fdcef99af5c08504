/**
 * The browser's history of the page: the state of the page is the query of its URL.
 */

import { readUrlState, type UrlState, writeUrlState } from "../model/state/url_state.js";

/** Browsers allow about a hundred changes of the URL in half a minute. */
const ADDRESS_MS = 400;

/**
 * The browser's history: one entry for each shown data set or node, with its state. Back restores
 * the last state of the previous entry.
 */
export class PageHistory {
  /** The user went back or forward. Resolves when that is shown or has failed. */
  onMove: (state: UrlState) => Promise<void> = async () => {};

  /** The state of the page. */
  readonly #state: () => UrlState;
  #timer = 0;
  /** The number of moves in progress, during which the content belongs to another entry. */
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
   * Adds an entry for another data set or node. The previous entry keeps the current state.
   */
  leave(): void {
    this.#write();
    history.pushState(null, "", location.href);
  }

  /** Updates the entry after a change of the state. */
  changed(): void {
    if (this.#timer === 0) this.#timer = window.setTimeout(() => this.#write(), ADDRESS_MS);
  }

  /** Updates the entry at once. */
  settle(): void {
    this.#write();
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (this.#moves > 0) return;
    history.replaceState(null, "", writeUrlState(this.#state()));
  }
}
