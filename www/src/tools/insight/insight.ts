/**
 * Starts the recorder, and loads the panel when it is opened, so that the first picture does not
 * wait for it.
 */

import { byId } from "../../widgets/page/element.js";
import type { Colouring } from "./colouring.js";
import type { InsightPanel } from "./panel.js";
import { Recorder } from "./recorder.js";
import type { Watched } from "./speed.js";
import type { Inspected } from "./structure.js";

/** What the viewer gives. */
export interface InsightSource extends Omit<Watched, "recorder">, Omit<Inspected, "onColouring"> {
  /** Whether the picture lacks tiles. */
  isWaiting(): boolean;
  /** The colouring of the grid has changed. */
  onChange(): void;
  onError(error: unknown): void;
}

export class Insight {
  readonly #source: InsightSource;
  readonly #recorder: Recorder;
  #panel: Promise<InsightPanel> | null = null;
  /** The colouring of the grid of chunks; null if there is none. */
  colouring: Colouring | null = null;

  constructor(source: InsightSource) {
    this.#source = source;
    this.#recorder = new Recorder(() => source.isWaiting());
  }

  /** Loads the panel. It scrolls by keyboard before it has controls. */
  open(): void {
    byId("panel-insight").tabIndex = 0;
    this.#panel ??= this.#load();
    this.#panel.catch((error: unknown) => {
      this.#panel = null;
      this.#source.onError(error);
    });
  }

  async #load(): Promise<InsightPanel> {
    const { InsightPanel } = await import("./panel.js");
    const source = this.#source;
    return new InsightPanel(byId("panel-insight"), {
      recorder: this.#recorder,
      snapshot: () => source.snapshot(),
      warnings: () => source.warnings(),
      setOverlay: (layer) => source.setOverlay(layer),
      onColouring: (colouring) => {
        this.colouring = colouring;
        source.onChange();
      },
    });
  }

  /** What is on the screen has changed. */
  changed(): void {
    void this.#panel?.then((panel) => panel.changed());
  }

  /** Shows the grid of chunks, as a URL says. */
  restore(colouring: Colouring): void {
    this.colouring = colouring;
    this.open();
    void this.#panel?.then((panel) => panel.setColouring(colouring));
  }
}
