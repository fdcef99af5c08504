/**
 * The plots of an element whose attribute `plot` is set: the panel below the picture, as in the
 * viewer. The code that plots loads with the first mark.
 */

import type { Shown } from "../../model/opening/content.js";
import type { UrlState } from "../../model/state/url_state.js";
import { Plots } from "../../tools/plots/plots.js";
import type { Contents } from "../../widgets/views/content_view.js";

interface Told {
  changed(): void;
  fail(error: unknown): void;
  /** Whether a click on the picture makes no mark. */
  isClickTaken(): boolean;
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
    inside.querySelector(".views")?.after(panel);
    const target = inside.querySelector(".map") as HTMLElement;
    const { view } = contents;
    this.#plots = new Plots(
      view.picture,
      { panel, target },
      {
        changed: told.changed,
        fail: told.fail,
        setIndex: (name, index) => view.choose(name, index),
        isClickTaken: told.isClickTaken,
      },
    );
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

  get isDrawing(): boolean {
    return this.#plots.isDrawing;
  }

  state(): UrlState {
    return this.#plots.state();
  }
}
