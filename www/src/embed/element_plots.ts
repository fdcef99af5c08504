/**
 * The plots of an element whose attribute `plot` is set: the panel below the picture, as in the
 * viewer. The code that plots loads with the first mark.
 */

import type { Contents } from "../contents.js";
import type { UrlState } from "../opening/url_state.js";
import { Plots } from "../plots/plots.js";
import type { Shown } from "../shown.js";

/** Below this width, in CSS pixels, the parts of the panel are below each other. */
const NARROW = 544;

interface Told {
  changed(): void;
  fail(error: unknown): void;
}

export class ElementPlots {
  readonly #contents: Contents;
  readonly #plots: Plots;
  #shown: Shown | null;

  /** `inside` is the element that has the contents; `shown` is what they show already. */
  constructor(contents: Contents, inside: HTMLElement, shown: Shown | null, told: Told) {
    [this.#contents, this.#shown] = [contents, shown];
    const panel = document.createElement("section");
    panel.className = "plots";
    panel.ariaLabel = "Plots";
    panel.hidden = true;
    inside.querySelector(".stage")?.after(panel);
    const target = inside.querySelector(".map") as HTMLElement;
    const { view } = contents;
    this.#plots = new Plots(
      view.picture,
      { panel, target },
      {
        changed: told.changed,
        fail: told.fail,
        setIndex: (name, index) => view.choose(name, index),
        isClickTaken: () => false,
      },
    );
    new ResizeObserver(([entry]) => {
      inside.classList.toggle("small", (entry?.contentRect.width ?? 0) < NARROW);
    }).observe(inside);
  }

  /** Shows the marks of a state on what the contents show. */
  show(shown: Shown | null, { marks, plot }: UrlState): void {
    this.#shown = shown;
    const { scene, at } = this.#contents.view;
    if (shown?.kind === "scene" && scene) {
      const { dataset, path } = shown;
      this.#plots.show({ scene, at, source: dataset.source.key, path }, marks, plot);
    } else this.#plots.show(null);
  }

  /** Shows other marks on the same picture. */
  mark(state: UrlState): void {
    this.show(this.#shown, state);
  }

  /** Follows the indices and colours of the picture. */
  update(): void {
    const { scene, at } = this.#contents.view;
    if (scene) this.#plots.update(scene, at);
  }

  state(): UrlState {
    return this.#plots.state();
  }
}
