/**
 * The plots of an element whose attribute `plot` is set: the panel below the picture, as in the
 * viewer. The code that plots loads with the first mark.
 */

import type { Content } from "../../model/opening/content.js";
import type { UrlState } from "../../model/state/url_state.js";
import { Plots } from "../../tools/plots/plots_state.js";
import type { ContentView } from "../../widgets/views/content_view.js";

interface PlotEvents {
  changed(): void;
  fail(error: unknown): void;
  /** Whether a click on the picture makes no mark. */
  isClickTaken(): boolean;
}

export class ElementPlots {
  readonly #view: ContentView;
  readonly #plots: Plots;
  #content: Content | null;

  /** `inside` is the element that has the view; `content` is what it shows already. */
  constructor(view: ContentView, inside: HTMLElement, content: Content | null, events: PlotEvents) {
    [this.#view, this.#content] = [view, content];
    const panel = document.createElement("section");
    panel.className = "plots";
    panel.ariaLabel = "Plots";
    panel.hidden = true;
    inside.querySelector(".views")?.after(panel);
    const target = inside.querySelector(".map") as HTMLElement;
    const { sceneView } = view;
    this.#plots = new Plots(
      sceneView.picture,
      { panel, target },
      {
        changed: events.changed,
        fail: events.fail,
        setIndex: (name, index) => sceneView.choose(name, index),
        isClickTaken: events.isClickTaken,
      },
    );
  }

  /** Shows the marks of a state on what the view shows. */
  show(content: Content | null, { marks, plot }: UrlState): void {
    this.#content = content;
    const { scene, at } = this.#view.sceneView;
    if (content?.kind === "scene" && scene) {
      const { dataset, path } = content;
      this.#plots.show({ scene, at, source: dataset.source.key, path }, marks, plot);
    } else this.#plots.show(null);
  }

  /** Shows other marks on the same picture. */
  mark(state: UrlState): void {
    this.show(this.#content, state);
  }

  /** Follows the indices and colours of the picture. */
  update(): void {
    const { scene, at } = this.#view.sceneView;
    if (scene) this.#plots.update(scene, at);
  }

  get isDrawing(): boolean {
    return this.#plots.isDrawing;
  }

  state(): UrlState {
    return this.#plots.state();
  }
}
