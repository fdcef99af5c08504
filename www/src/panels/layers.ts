/**
 * The panel of layers above the picture: label images with their opacities, and on maps the coast
 * lines and the graticule.
 */

import { element, tickBox } from "../page/element.js";
import { fillInParts, mostNote } from "../page/long_list.js";
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
  #map: MapLayers = { coast: true, graticule: false };

  /** `section` is hidden if there are no layers. */
  constructor(place: HTMLElement, section: HTMLElement) {
    this.#place = place;
    this.#section = section;
  }

  /** `map` is null if the picture is not a map. */
  show(labels: readonly SceneLabel[], map: MapLayers | null): void {
    this.#labels = labels.map((label) => ({ ...label }));
    const rows = element("div", { class: "label-list" });
    fillInParts(rows, this.#labels, (label) => this.#labelRow(label));
    const notes = mostNote(labels.length, MOST_LABELS, "label images");
    this.#place.replaceChildren(...notes, rows, ...(map ? this.#mapRows(map) : []));
    this.#section.hidden = this.#labels.length === 0 && !map;
  }

  #labelRow(label: SceneLabel): HTMLElement {
    const change = () => this.onLabels(this.#labels.map((each) => ({ ...each })));
    const slider = element("input", { type: "range", min: 0, max: 1, step: 0.05, value: label.opacity });
    slider.setAttribute("aria-label", `Opacity of ${label.name}`);
    slider.addEventListener("input", () => {
      label.opacity = Number(slider.value);
      change();
    });
    const tick = tickBox(label.name, label.visible, (visible) => {
      const isFull = this.#labels.filter((each) => each.visible).length >= MOST_LABELS;
      label.visible = visible && !isFull;
      const box = tick.querySelector("input");
      if (box) box.checked = label.visible;
      change();
    });
    return element("div", { class: "layer" }, tick, slider);
  }

  #mapRows(map: MapLayers): HTMLElement[] {
    this.#map = { ...map };
    const change = (changed: Partial<MapLayers>) => {
      this.#map = { ...this.#map, ...changed };
      this.onMapLayers(this.#map);
    };
    return [
      tickBox("Coast lines", map.coast, (coast) => change({ coast })),
      tickBox("Graticule", map.graticule, (graticule) => change({ graticule })),
    ];
  }
}
