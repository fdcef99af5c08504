/** The layers of label images above a picture. Each is a pyramid that is opened when shown. */
import type OpenLayersMap from "ol/Map.js";
import type Projection from "ol/proj/Projection.js";
import * as zarr from "zarr-wasm";
import { buildScene } from "../scene/build_scene.js";
import type { Scene, SceneLabel } from "../scene/scene.js";
import { type At, PyramidLayer } from "./pyramid_layer.js";

interface Shown {
  label: SceneLabel;
  layer: PyramidLayer;
  stop: () => void;
}

export class LabelLayers {
  onError: (error: unknown) => void = () => {};
  readonly #map: OpenLayersMap;
  readonly #scene: Scene;
  readonly #projection: Projection;
  readonly #signal: AbortSignal;
  readonly #shown = new Map<string, Shown>();
  readonly #opening = new Set<string>();
  #labels: readonly SceneLabel[] = [];
  #at: At;

  constructor(
    map: OpenLayersMap,
    scene: Scene,
    projection: Projection,
    options: { at: At; signal: AbortSignal },
  ) {
    [this.#map, this.#scene, this.#projection] = [map, scene, projection];
    [this.#at, this.#signal] = [options.at, options.signal];
  }

  /** The visible labels and their layers. */
  get shown(): { label: SceneLabel; layer: PyramidLayer }[] {
    return [...this.#shown.values()].filter(({ label }) => label.visible);
  }

  set(labels: readonly SceneLabel[]): void {
    this.#labels = labels;
    for (const label of labels) {
      const shown = this.#shown.get(label.path);
      if (shown) this.#adjust(shown, label);
      else if (label.visible && !this.#opening.has(label.path)) void this.#open(label.path);
    }
  }

  setAt(at: At): void {
    this.#at = at;
    for (const { layer } of this.#shown.values()) layer.setAt(at);
  }

  preload(at: At): Promise<unknown> {
    return Promise.all(this.shown.map(({ layer }) => layer.preload(at)));
  }

  stop(): void {
    for (const { stop } of this.#shown.values()) stop();
  }

  #adjust(shown: Shown, label: SceneLabel): void {
    shown.label = label;
    shown.layer.layer.setVisible(label.visible);
    shown.layer.layer.setOpacity(label.opacity);
  }

  async #open(path: string): Promise<void> {
    this.#opening.add(path);
    try {
      const place = new zarr.Location(this.#scene.array.store, path as `/${string}`);
      const node = await zarr.open(place, { kind: "group", signal: this.#signal });
      const scene = await buildScene(node, { signal: this.#signal, kind: "labels" });
      this.#signal.throwIfAborted();
      const layer = new PyramidLayer(scene, this.#at, this.#projection);
      layer.layer.setZIndex(10);
      layer.source.onError = (error) => this.onError(error);
      const label = this.#labels.find((other) => other.path === path);
      if (!label) return;
      const shown = { label, layer, stop: layer.source.follow(this.#map) };
      this.#shown.set(path, shown);
      this.#adjust(shown, label);
      this.#map.addLayer(layer.layer);
    } catch (error) {
      if (!this.#signal.aborted) this.onError(error);
    } finally {
      this.#opening.delete(path);
    }
  }
}
