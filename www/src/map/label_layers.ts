/** The layers of label images above a picture. Each is a pyramid that is opened when shown. */
import type OpenLayersMap from "ol/Map.js";
import type Projection from "ol/proj/Projection.js";
import * as zarr from "zarr-wasm";
import { buildScene } from "../model/scene/build_scene.js";
import type { Scene, SceneLabel } from "../model/scene/scene.js";
import { type At, PyramidLayer } from "./pyramid_layer.js";

interface OpenLabel {
  label: SceneLabel;
  facts: Scene["labelFacts"];
  layer: PyramidLayer;
  stop: () => void;
}

/** What the labels are above. */
interface Below {
  map: OpenLayersMap;
  store: zarr.Readable;
  projection: Projection;
  signal: AbortSignal;
  onError(error: unknown): void;
}

export class LabelLayers {
  readonly #opened = new Map<string, OpenLabel>();
  readonly #opening = new Map<string, Promise<void>>();
  #labels: readonly SceneLabel[] = [];
  #at: At;

  constructor(
    readonly below: Below,
    at: At,
  ) {
    this.#at = at;
  }

  /** The visible labels, what is known of them, and their layers. */
  get visible(): Omit<OpenLabel, "stop">[] {
    return [...this.#opened.values()].filter(({ label }) => label.visible);
  }

  set(labels: readonly SceneLabel[]): void {
    this.#labels = labels;
    for (const label of labels) {
      const opened = this.#opened.get(label.path);
      if (opened) this.#adjust(opened, label);
      else if (label.visible && !this.#opening.has(label.path))
        this.#opening.set(label.path, this.#open(label.path));
    }
  }

  setAt(at: At): void {
    this.#at = at;
    for (const { layer } of this.#opened.values()) {
      // Labels may have fewer steps than the image.
      try {
        layer.setAt(at);
      } catch (error) {
        this.below.onError(error);
      }
    }
  }

  preload(at: At): Promise<unknown> {
    return Promise.all(this.visible.map(({ layer }) => layer.preload(at)));
  }

  stop(): void {
    for (const { stop } of this.#opened.values()) stop();
  }

  #adjust(opened: OpenLabel, label: SceneLabel): void {
    opened.label = label;
    opened.layer.layer.setVisible(label.visible);
    opened.layer.layer.setOpacity(label.opacity);
  }

  /** Resolves when the visible labels are on the map, or have reported an error. */
  async opened(): Promise<void> {
    await Promise.all(this.#opening.values());
  }

  async #open(path: string): Promise<void> {
    const { map, store, projection, signal, onError } = this.below;
    try {
      const location = new zarr.Location(store, path as `/${string}`);
      const node = await zarr.open(location, { kind: "group", signal });
      const scene = await buildScene(node, { signal, kind: "labels" });
      signal.throwIfAborted();
      const layer = new PyramidLayer(scene, this.#at, projection);
      layer.layer.setZIndex(10);
      layer.source.onError = onError;
      const label = this.#labels.find((other) => other.path === path);
      if (!label) return;
      const opened = { label, facts: scene.labelFacts, layer, stop: layer.source.follow(map) };
      this.#opened.set(path, opened);
      this.#adjust(opened, label);
      map.addLayer(layer.layer);
    } catch (error) {
      if (!signal.aborted) onError(error);
    } finally {
      this.#opening.delete(path);
    }
  }
}
