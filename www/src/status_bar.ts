/** The line at the foot of the page: how far loading is, and what the package says it did for it. */

import * as zarr from "zarr-wasm";
import { element } from "./element.js";
import { bytesText, countText } from "./number_text.js";
import type { TileProgress } from "./tile_source.js";
import type { Wire } from "./wire.js";

const REFRESH_MS = 250;

export class StatusBar {
  readonly #progress: HTMLProgressElement;
  readonly #counters: HTMLElement;
  readonly #texts = new Map<string, HTMLElement>();
  #drawnBy = "";
  readonly #wire: Wire;
  #timer = 0;

  constructor(progress: HTMLProgressElement, counters: HTMLElement, wire: Wire) {
    this.#progress = progress;
    this.#counters = counters;
    this.#wire = wire;
    wire.onChange = () => this.refresh();
    this.refresh();
  }

  setDrawnBy(text: string): void {
    this.#drawnBy = text;
    this.refresh();
  }

  /** Something of unknown length is under way. */
  busy(): void {
    this.#progress.removeAttribute("value");
    this.#progress.classList.add("running");
    this.refresh();
  }

  idle(): void {
    this.#progress.value = 1;
    this.#progress.classList.remove("running");
    this.refresh();
  }

  show({ wanted, done }: TileProgress): void {
    const running = done < wanted;
    this.#progress.classList.toggle("running", running);
    this.#progress.value = wanted === 0 ? 1 : done / wanted;
    this.#set("Tiles", running ? `${done} of ${wanted}` : "all here", "Pieces of the picture that arrived");
    this.refresh();
  }

  /** The package's counters, a few times a second at most. */
  refresh(): void {
    if (this.#timer !== 0) return;
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      this.#counts();
    }, REFRESH_MS);
  }

  #counts(): void {
    const { workers, parts, refused } = zarr.info();
    const decoder = workers > 0 ? `${workers} worker${workers === 1 ? "" : "s"}` : "on this thread";
    this.#set("Requests", countText(this.#wire.requests), "HTTP requests since the page was loaded");
    this.#set("Received", bytesText(this.#wire.bytes), "Bytes of their answers");
    this.#set("Decoding", decoder, refused.join("\n") || "Where chunks are decoded");
    this.#set(
      "Decoded",
      `${countText(parts.workers + parts.caller)} parts`,
      "Pieces of results, by workers and by this thread",
    );
    this.#set("Drawing", this.#drawnBy, "How the picture is drawn");
  }

  #set(name: string, text: string, title: string): void {
    let value = this.#texts.get(name);
    if (!value) {
      value = element("b", {});
      this.#texts.set(name, value);
      this.#counters.append(element("span", { title }, name, " ", value));
    }
    value.textContent = text;
  }
}
