/** Shows the progress of loading, and the counters of requests and bytes. */

import { html, render } from "lit-html";
import * as zarr from "zarr-wasm";
import { byId } from "../page/element.js";
import { bytesText, countText } from "../text/numbers.js";

const REFRESH_MS = 500;
/** Shorter work shows no progress. */
const PATIENCE_MS = 500;

export class Status {
  readonly #progress = byId<HTMLProgressElement>("progress");
  readonly #words = byId("loading");
  readonly #counters = byId("counters");
  #text = "";
  #timer = 0;
  /** While a node opens, the progress of the previous picture's tiles is not shown. */
  #isBusy = false;

  constructor() {
    setInterval(() => this.#count(), REFRESH_MS);
  }

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

  /** Updates the counters, unless their panel is closed. */
  #count(): void {
    if (this.#counters.offsetParent === null) return;
    const { wire, workers, decodeMs, caches } = zarr.info();
    const rows: [string, string][] = [
      ["Requests", countText(wire.requests)],
      ["Received", bytesText(wire.bytes)],
      ["Given up", countText(wire.aborted)],
      ["Decoding", `${countText(Math.round(decodeMs))} ms in ${workers} worker${workers === 1 ? "" : "s"}`],
      ["Kept decoded", bytesText(caches.decoded.bytes)],
    ];
    render(
      rows.map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`),
      this.#counters,
    );
  }
}
