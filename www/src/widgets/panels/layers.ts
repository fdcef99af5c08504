/**
 * The panel of layers above the picture: label images with their opacities, and on maps the coast
 * lines and the graticule.
 */

import { html, nothing, render, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import type { VisibleLines } from "../../map/map_lines.js";
import { MAX_LABELS, type SceneLabel } from "../../model/scene/scene.js";
import { tickBox, withValue } from "../page/element.js";
import { inParts, mostNote } from "../page/long_list.js";

export interface LayersOptions {
  setLabels(labels: SceneLabel[]): void;
  setLines(lines: VisibleLines): void;
}

export class Layers {
  #labels: SceneLabel[] = [];
  /** Null if the picture is not a map. */
  #lines: VisibleLines | null = null;

  /** `section` is hidden if there are no layers. */
  constructor(
    readonly element: HTMLElement,
    readonly section: HTMLElement,
    readonly options: LayersOptions,
  ) {}

  /** `lines` is null if the picture is not a map. */
  show(labels: readonly SceneLabel[], lines: VisibleLines | null): void {
    this.#labels = labels.map((label) => ({ ...label }));
    this.#lines = lines;
    this.section.hidden = labels.length === 0 && !lines;
    this.#render();
  }

  #render(): void {
    const labels = this.#labels;
    const layers = html`${mostNote(labels.length, MAX_LABELS, "label images")}
      <div class="label-list">${inParts(labels, (label) => this.#labelRow(label))}</div>
      ${this.#lines ? this.#lineRows(this.#lines) : nothing}`;
    render(keyed(labels, layers), this.element);
  }

  #labelRow(label: SceneLabel): TemplateResult {
    const set = (change: Partial<SceneLabel>) => {
      Object.assign(label, change);
      this.#render();
      this.options.setLabels(this.#labels.map((each) => ({ ...each })));
    };
    const tick = (visible: boolean) => {
      const isFull = this.#labels.filter((each) => each.visible).length >= MAX_LABELS;
      set({ visible: visible && !isFull });
    };
    return html`<div class="layer">
      ${tickBox(label.name, label.visible, tick)}
      <input
        type="range"
        min="0"
        max="1"
        step="0.05"
        aria-label="Opacity of ${label.name}"
        .value=${String(label.opacity)}
        @input=${withValue((value) => set({ opacity: Number(value) }))}
      />
    </div>`;
  }

  #lineRows(lines: VisibleLines): TemplateResult {
    const change = (changed: Partial<VisibleLines>) => {
      this.#lines = { ...lines, ...changed };
      this.#render();
      this.options.setLines(this.#lines);
    };
    return html`${tickBox("Coast lines", lines.coast, (coast) => change({ coast }))}
    ${tickBox("Graticule", lines.graticule, (graticule) => change({ graticule }))}`;
  }
}
