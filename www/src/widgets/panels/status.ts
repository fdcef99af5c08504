/** Shows the progress of loading. */

import { byId } from "../page/element.js";

/** Shorter work shows no progress. */
const PATIENCE_MS = 500;

export class Status {
  readonly #progress = byId<HTMLProgressElement>("progress");
  readonly #words = byId("loading");
  #text = "";
  #timer = 0;
  /** While a node opens, the progress of the previous picture's tiles is not shown. */
  #isBusy = false;

  /** Whether the picture lacks tiles. */
  isWaiting = false;

  /** Shows work of unknown length. */
  busy(text: string): void {
    this.#isBusy = true;
    this.#progress.removeAttribute("value");
    this.#run(text);
  }

  idle(): void {
    this.#isBusy = false;
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#progress.value = 1;
    this.#progress.classList.remove("running");
    this.#words.hidden = true;
  }

  show({ wanted, done }: { wanted: number; done: number }): void {
    this.isWaiting = done < wanted;
    if (this.#isBusy) return;
    if (done >= wanted) {
      this.idle();
      return;
    }
    this.#progress.value = done / wanted;
    this.#run(`Loading ${done} of ${wanted}`);
  }

  #run(text: string): void {
    this.#text = text;
    if (!this.#words.hidden) this.#words.textContent = text;
    if (this.#timer !== 0) return;
    this.#timer = window.setTimeout(() => {
      this.#progress.classList.add("running");
      this.#words.textContent = this.#text;
      this.#words.hidden = false;
    }, PATIENCE_MS);
  }
}
