/**
 * The panel of layers above the picture: label images with their opacities, and on maps the coast
 * lines and the graticule.
 */

import { html, nothing, render, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import { tickBox, withValue } from "../page/element.js";
import { inParts, mostNote } from "../page/long_list.js";
import type { SceneLabel } from "../scene/scene.js";
import { MOST_LABELS } from "../scene/visible.js";

export interface MapLayers {
  coast: boolean;
  graticule: boolean;
}

export class Layers {
  onLabels: (labels: SceneLabel[]) => void = () => {};
  onMapLayers: (layers: MapLayers) => void = () => {};

  readonly #place: HTMLElement;
  readonly #section: HTMLElement;
  #labels: SceneLabel[] = [];
  /** Null if the picture is not a map. */
  #map: MapLayers | null = null;

  /** `section` is hidden if there are no layers. */
  constructor(place: HTMLElement, section: HTMLElement) {
    this.#place = place;
    this.#section = section;
  }

  /** `map` is null if the picture is not a map. */
  show(labels: readonly SceneLabel[], map: MapLayers | null): void {
    this.#labels = labels.map((label) => ({ ...label }));
    this.#map = map;
    this.#section.hidden = labels.length === 0 && !map;
    this.#render();
  }

  #render(): void {
    const labels = this.#labels;
    const layers = html`${mostNote(labels.length, MOST_LABELS, "label images")}
      <div class="label-list">${inParts(labels, (label) => this.#labelRow(label))}</div>
      ${this.#map ? this.#mapRows(this.#map) : nothing}`;
    render(keyed(labels, layers), this.#place);
  }

  #labelRow(label: SceneLabel): TemplateResult {
    const set = (change: Partial<SceneLabel>) => {
      Object.assign(label, change);
      this.#render();
      this.onLabels(this.#labels.map((each) => ({ ...each })));
    };
    const tick = (visible: boolean) => {
      const isFull = this.#labels.filter((each) => each.visible).length >= MOST_LABELS;
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

  #mapRows(map: MapLayers): TemplateResult {
    const change = (changed: Partial<MapLayers>) => {
      this.#map = { ...map, ...changed };
      this.#render();
      this.onMapLayers(this.#map);
    };
    return html`${tickBox("Coast lines", map.coast, (coast) => change({ coast }))}
    ${tickBox("Graticule", map.graticule, (graticule) => change({ graticule }))}`;
  }
}
