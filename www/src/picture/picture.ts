/**
 * The map that draws a scene: a layer of pyramid tiles, labels above it, coast lines and a
 * graticule if it is on the globe, and a scale bar if it has lengths. It reports the camera, the
 * values under the pointer, and the progress of tiles.
 */
import "./picture.css";
import type ScaleLine from "ol/control/ScaleLine.js";
import { defaults as defaultInteractions } from "ol/interaction/defaults.js";
import type BaseLayer from "ol/layer/Base.js";
import OpenLayersMap from "ol/Map.js";
import type Projection from "ol/proj/Projection.js";
import View from "ol/View.js";
import * as zarr from "zarr-wasm";
import type { MapExtent, TileProgress } from "zarr-wasm/openlayers";
import { sceneInPlane } from "../scene/build_scene.js";
import type { FieldStyle, Scene, SceneChannel, SceneLabel } from "../scene/scene.js";
import { coastLayer } from "./coast_layer.js";
import { graticuleLayer } from "./graticule_layer.js";
import { LabelLayers } from "./label_layers.js";
import { plainProjection, projectionFor } from "./projections.js";
import { PyramidLayer } from "./pyramid_layer.js";
import {
  AxisWords,
  indicesOf,
  isIncomplete,
  placeTexts,
  type Reading,
  type Shown,
  valueTexts,
} from "./readings.js";
import { retireLayer } from "./retired_layer.js";
import { scaleBar } from "./scale_bar.js";
import { checkWebGl } from "./webgl.js";
import { whenDrawn } from "./when_drawn.js";

export type { Reading } from "./readings.js";

/**
 * The view of the map: its centre in map coordinates, whose y grows upwards, and map units per CSS
 * pixel.
 */
export interface Camera {
  x: number;
  y: number;
  resolution: number;
}

/** The state of the view in addition to the scene. Missing members have defaults. */
export interface PictureState {
  /** Indices by name of axis. */
  at?: Record<string, number> | undefined;
  camera?: Camera | undefined;
  /** null: the level follows the zoom. */
  level?: number | null | undefined;
}

export type PictureProgress = TileProgress;

/** Maximum width of an element of the finest level in CSS pixels. */
const LARGEST_PIXEL = 64;
/** Zooming out stops when the picture has this share of the map's size. */
const SMALLEST_SHARE = 0.4;
/** Margin around a fitted picture, as a share of its sides. */
const MARGIN = 0.03;
/** The quantiles of "limits in view". */
const SHARES: readonly [number, number] = [0.002, 0.998];
/**
 * Number of concurrent tile requests. With OpenLayers' default of 16, parts of a view would wait.
 */
const TILES_AT_ONCE = 64;

/** Values that must be read are read when the pointer has rested for this time in ms. */
const REST_MS = 80;

/** A scene and its layers. */
interface Drawn {
  scene: Scene;
  image: PyramidLayer;
  labels: LabelLayers;
  projection: Projection;
  words: AxisWords;
  bar: ScaleLine | null;
  stop: () => void;
}

export class Picture {
  onCamera: (camera: Camera) => void = () => {};
  /** Null if the pointer is outside of the picture. */
  onPointer: (reading: Reading | null) => void = () => {};
  onProgress: (progress: PictureProgress) => void = () => {};
  onError: (error: unknown) => void = () => {};
  /** The level that is drawn. */
  onLevel: (level: number) => void = () => {};
  /** `setPlane` has changed the scene. */
  onScene: (scene: Scene) => void = () => {};

  readonly #map: OpenLayersMap;
  #showing = new AbortController();
  #drawn: Drawn | null = null;
  #channels: readonly SceneChannel[] = [];
  #at: Record<string, number> = {};
  #level = -1;
  /** The camera that shows the whole picture, if it is in use. */
  #fitted: Camera | null = null;
  #pointer: number[] | null = null;
  #readTimer = 0;
  #isReading = false;
  #lines: { graticule: boolean; coast: boolean } = { graticule: true, coast: true };
  #graticule: BaseLayer | null = null;
  #coast: BaseLayer | null = null;

  /**
   * The map and its scale bar are put into `target`. Throws an error for the user if the browser
   * cannot draw.
   */
  constructor(target: HTMLElement) {
    checkWebGl();
    this.#map = new OpenLayersMap({
      target,
      controls: [],
      interactions: defaultInteractions({ altShiftDragRotate: false, pinchRotate: false, keyboard: false }),
      maxTilesLoading: TILES_AT_ONCE,
    });
    this.#listen(target);
  }

  #listen(target: HTMLElement): void {
    this.#map.on("moveend", () => {
      this.onCamera(this.camera());
      this.#pointAgain();
    });
    this.#map.on("postrender", () => this.#tellLevel());
    this.#map.on("change:size", () => this.#fitAgain());
    this.#map.on("pointermove", ({ pixel, dragging }) => {
      // At the same place, a read in progress continues.
      if (!dragging && pixel.join() !== this.#pointer?.join()) this.#point(pixel);
    });
    this.#map.on("click", ({ pixel }) => this.#point(pixel));
    target.addEventListener("pointerleave", ({ pointerType }) => {
      // Lifting a finger is a leave event too. The tapped value stays visible.
      if (pointerType === "mouse") this.#point(null);
    });
  }

  /** Whether this scene can have a graticule and coast lines. */
  get isMap(): boolean {
    const kind = this.#drawn?.scene.space.kind;
    return kind === "geographic" || (kind === "projected" && this.#drawn?.projection.getCode() !== "plane");
  }

  show(scene: Scene, state: PictureState = {}): void {
    this.#showing.abort();
    this.#showing = new AbortController();
    const { signal } = this.#showing;
    this.#at = Object.fromEntries(scene.axes.map(({ name, start }) => [name, state.at?.[name] ?? start]));
    this.#channels = scene.channels;
    const extent = extentOf(scene);
    if (scene.space.kind !== "projected") this.#draw(scene, state, plainProjection(scene.space, extent));
    else {
      projectionFor(scene.space, extent).then(
        (projection) => {
          if (!signal.aborted) this.#draw(scene, state, projection);
        },
        (error: unknown) => {
          if (!signal.aborted) this.onError(error);
        },
      );
    }
  }

  #draw(scene: Scene, state: PictureState, projection: Projection): void {
    this.#remove();
    const { signal } = this.#showing;
    try {
      const image = new PyramidLayer(scene, this.#at, projection);
      image.source.onProgress = (progress) => this.#tellProgress(progress);
      image.source.onError = (error) => this.onError(error);
      if (state.level !== undefined) image.source.setLevel(state.level);
      const labels = new LabelLayers(this.#map, scene, projection, { at: this.#at, signal });
      labels.onError = (error) => this.onError(error);
      const [words, bar] = [new AxisWords(scene, signal), scaleBar(projection)];
      this.#drawn = { scene, image, labels, projection, words, bar, stop: image.source.follow(this.#map) };
      this.#map.setView(this.#view(image.source.extent, projection, state.camera));
      this.#map.addLayer(image.layer);
      if (bar) this.#map.addControl(bar);
      labels.set(scene.labels);
      this.#drawLines();
    } catch (error) {
      this.onError(error);
    }
  }

  /** Removes the contents. */
  clear(): void {
    this.#showing.abort();
    this.#remove();
    this.#point(null);
  }

  #remove(): void {
    const drawn = this.#drawn;
    this.#drawn = null;
    this.#level = -1;
    if (!drawn) return;
    drawn.stop();
    drawn.labels.clear();
    for (const layer of [drawn.image.layer, this.#graticule, this.#coast]) {
      if (layer) retireLayer(this.#map, layer);
    }
    if (drawn.bar) this.#map.removeControl(drawn.bar);
    [this.#graticule, this.#coast] = [null, null];
  }

  #view(extent: MapExtent, projection: Projection, camera: Camera | undefined): View {
    this.#map.updateSize();
    const fitting = this.#fitting(extent);
    this.#fitted = camera ? null : fitting;
    const { x, y, resolution: wanted } = camera ?? fitting;
    const resolution = Math.min(wanted, this.#widest());
    const steps = this.#drawn?.image.source.elementSize(0) ?? [1, 1];
    const maxResolution = Math.min(Math.max(resolution, fitting.resolution / SMALLEST_SHARE), this.#widest());
    const finest = Math.min(...steps.map((step) => step / LARGEST_PIXEL), fitting.resolution, resolution);
    return new View({
      projection,
      center: [x, y],
      resolution,
      // OpenLayers rounds the finest resolution up to the coarsest one divided by a power of two.
      minResolution: maxResolution / 2 ** Math.ceil(Math.log2(maxResolution / finest)),
      maxResolution,
      extent,
      constrainOnlyCenter: true,
      smoothExtentConstraint: false,
      showFullExtent: true,
    });
  }

  /** An array without coarse levels may be too large to be shown completely. */
  #widest(): number {
    const [width = 1, height = 1] = this.#map.getSize() ?? [];
    return this.#drawn?.image.source.widestResolution([width, height]) ?? Number.POSITIVE_INFINITY;
  }

  /** The camera that shows an extent with a margin. */
  #fitting([left, bottom, right, top]: MapExtent): Camera {
    const [width = 1, height = 1] = this.#map.getSize() ?? [];
    const share = 1 - 2 * MARGIN;
    const whole = Math.max(
      (right - left) / Math.max(width * share, 1),
      (top - bottom) / Math.max(height * share, 1),
    );
    const resolution = Math.min(whole, this.#widest());
    return { x: (left + right) / 2, y: (bottom + top) / 2, resolution };
  }

  /** Sets indices of axes. The old picture stays until the new one is loaded. */
  setAt(at: Record<string, number>): void {
    this.#at = { ...this.#at, ...at };
    this.#drawn?.image.setAt(this.#at);
    this.#drawn?.labels.setAt(this.#at);
    this.#pointAgain();
  }

  /**
   * Changes the channels without requests, except for the first display of a channel if there are
   * more than four.
   */
  setChannels(channels: readonly SceneChannel[]): void {
    this.#channels = channels;
    this.#drawn?.image.setChannels(channels);
    this.#pointAgain();
  }

  /** Changes the style without requests. */
  setField(style: FieldStyle): void {
    this.#drawn?.image.setField(style);
  }

  setLabels(labels: readonly SceneLabel[]): void {
    this.#drawn?.labels.set(labels);
  }

  /** Fixes the level. Null: it follows the zoom. */
  setLevel(level: number | null): void {
    this.#drawn?.image.source.setLevel(level);
  }

  /** Draws other axes, by position. `onScene` reports the new scene. */
  setPlane(plane: { x: number; y: number }): void {
    const { scene } = this.#drawn ?? {};
    if (!scene) return;
    const { signal } = this.#showing;
    sceneInPlane({ ...scene, channels: [...this.#channels] }, plane, { signal }).then(
      (turned) => {
        if (signal.aborted) return;
        this.show(turned, { at: this.#at });
        this.onScene(turned);
      },
      (error: unknown) => {
        if (!signal.aborted) this.onError(error);
      },
    );
  }

  /** Shows or hides the lines of a map. */
  setLines(lines: { graticule: boolean; coast: boolean }): void {
    this.#lines = lines;
    this.#drawLines();
  }

  #drawLines(): void {
    const drawn = this.#drawn;
    if (drawn && this.isMap && this.#lines.graticule && !this.#graticule) {
      this.#graticule = graticuleLayer(drawn.projection, drawn.image.source.extent);
      this.#map.addLayer(this.#graticule);
    }
    this.#graticule?.setVisible(this.#lines.graticule);
    this.#coast?.setVisible(this.#lines.coast);
    if (this.isMap && this.#lines.coast && !this.#coast) void this.#addCoast();
  }

  async #addCoast(): Promise<void> {
    const drawn = this.#drawn;
    if (!drawn) return;
    const layer = await coastLayer(drawn.projection, drawn.image.source.extent).catch((error: unknown) => {
      this.onError(error);
      return null;
    });
    if (!layer || drawn !== this.#drawn || this.#coast) return;
    this.#coast = layer;
    layer.setVisible(this.#lines.coast);
    this.#map.addLayer(layer);
  }

  /** Reads the tiles of another step for the current view. */
  async preload(at: Record<string, number>, signal?: AbortSignal): Promise<void> {
    const own = { ...this.#at, ...at };
    await Promise.all([this.#drawn?.image.preload(own, signal), this.#drawn?.labels.preload(own)]);
  }

  /** Resolves when every tile of the view is drawn or has failed. */
  async idle(): Promise<void> {
    const [drawn, [width = 0, height = 0] = []] = [this.#drawn, this.#map.getSize()];
    if (!drawn || width * height === 0) return;
    const sources = [drawn.image.source, ...drawn.labels.shown.map(({ layer }) => layer.source)];
    await whenDrawn(this.#map, sources);
  }

  /** The limits of the visible values. Null if there are none. */
  async limitsInView(): Promise<[number, number] | null> {
    const lists = [...(this.#drawn?.image.source.valuesInView() ?? [])].map(({ values }) => values);
    const counted = zarr.Histogram.of(lists, { bins: 4096 });
    if (counted.count === 0 || !Number.isFinite(counted.max - counted.min)) return null;
    const [low = 0, high = 1] = SHARES.map((share) => counted.quantile(share));
    return low < high ? [low, high] : [counted.min, counted.max];
  }

  /** Fits the picture again after a change of the size, if it was fitted. */
  #fitAgain(): void {
    const [drawn, fitted] = [this.#drawn, this.#fitted];
    const { x, y, resolution } = this.camera();
    // OpenLayers keeps the centre in the extent, so its last bits may differ.
    const isFitted =
      fitted &&
      resolution === fitted.resolution &&
      Math.max(Math.abs(x - fitted.x), Math.abs(y - fitted.y)) < resolution / 2;
    if (!drawn || !isFitted) return;
    this.#map.setView(this.#view(drawn.image.source.extent, drawn.projection, undefined));
  }

  fit(): void {
    const extent = this.#drawn?.image.source.extent;
    if (!extent) return;
    this.#fitted = this.#fitting(extent);
    const { x, y, resolution } = this.#fitted;
    this.#map.getView().animate({ center: [x, y], resolution, duration: 200 });
  }

  zoomBy(factor: number): void {
    const view = this.#map.getView();
    view.animate({
      resolution: view.getConstrainedResolution((view.getResolution() ?? 1) / factor),
      duration: 150,
    });
  }

  /** Pans by CSS pixels. */
  panBy(dx: number, dy: number): void {
    const view = this.#map.getView();
    const [[x = 0, y = 0] = [], resolution = 1] = [view.getCenter(), view.getResolution()];
    view.setCenter([x + dx * resolution, y - dy * resolution]);
  }

  camera(): Camera {
    const view = this.#map.getView();
    const [x = 0, y = 0] = view.getCenter() ?? [];
    return { x, y, resolution: view.getResolution() ?? 1 };
  }

  #tellProgress(progress: TileProgress): void {
    this.onProgress(progress);
    const isReading = progress.wanted > progress.done;
    // Progress is reported at every frame. The value under the pointer changes with new tiles only.
    if (this.#isReading && !isReading) this.#pointAgain();
    this.#isReading = isReading;
  }

  #tellLevel(): void {
    const resolution = this.#map.getView().getResolution();
    if (!this.#drawn || resolution === undefined) return;
    const level = this.#drawn.image.source.levelFor(resolution);
    if (level === this.#level) return;
    this.#level = level;
    this.onLevel(level);
  }

  #pointAgain(): void {
    if (this.#pointer) this.#point(this.#pointer);
  }

  #point(pixel: number[] | null): void {
    this.#pointer = pixel;
    clearTimeout(this.#readTimer);
    const found = pixel && this.#shownAt(pixel);
    this.onPointer(found ? this.#told(found) : null);
    if (found && isIncomplete(found)) this.#readTimer = window.setTimeout(() => this.#readAt(found), REST_MS);
  }

  /** Reports the cached values at a place. */
  #shownAt(pixel: number[]): (Shown & { place: [number, number] }) | null {
    const drawn = this.#drawn;
    const [x, y] = this.#map.getCoordinateFromPixel(pixel) ?? [];
    const resolution = this.#map.getView().getResolution();
    if (!drawn || x === undefined || y === undefined || resolution === undefined) return null;
    const image = drawn.image.source.reading(x, y, resolution);
    if (!image) return null;
    const labels = drawn.labels.shown.flatMap(({ label, layer }) => {
      const reading = layer.source.reading(x, y, resolution);
      return reading ? [{ label, reading }] : [];
    });
    return { scene: drawn.scene, channels: this.#channels, image, labels, place: [x, y] };
  }

  /** Reads the values at a resting pointer that are not cached. */
  async #readAt(found: Shown & { place: [number, number] }): Promise<void> {
    const [drawn, pointer] = [this.#drawn, this.#pointer];
    const resolution = this.#map.getView().getResolution();
    if (!drawn || resolution === undefined) return;
    const [place, { signal }] = [found.place, this.#showing];
    try {
      const image = (await drawn.image.source.read(...place, resolution, signal)) ?? found.image;
      const labels = await Promise.all(
        drawn.labels.shown.map(async ({ label, layer }) => ({
          label,
          reading: await layer.source.read(...place, resolution, signal),
        })),
      );
      if (pointer === this.#pointer) this.onPointer(this.#told({ ...found, image, labels, isRead: true }));
    } catch {
      // The read of the tile reports the error.
    }
  }

  #told(found: Shown & { place: [number, number] }): Reading | null {
    const drawn = this.#drawn;
    if (!drawn) return null;
    const { scene, image, projection, words } = drawn;
    const others = scene.axes.filter(
      ({ role, axis }) => role !== "c" && axis !== scene.plane.x && axis !== scene.plane.y,
    );
    const step = Math.min(...image.source.elementSize(found.image.level));
    const named = others.map(({ name }) => ({ name, text: words.text(name, this.#at[name] ?? 0) }));
    return {
      level: found.image.level,
      index: indicesOf(found),
      coordinates: [
        ...named.filter(({ text }) => text !== ""),
        ...placeTexts(scene, found.place, projection, step),
      ],
      values: valueTexts(found),
    };
  }
}

/** The extent of the finest level if the scene has it; an estimate, used only for projections. */
function extentOf({ pyramid, plane, places, isUpward, warped }: Scene): MapExtent {
  if (warped) return warped.extent;
  const level = pyramid.levels[0];
  const [width = 1, height = 1] = [level?.shape[plane.x], level?.shape[plane.y]];
  const own = places?.[0];
  const x = own?.x ?? { start: level?.translation[plane.x] ?? 0, step: level?.scale[plane.x] ?? 1 };
  const y = own?.y ?? { start: level?.translation[plane.y] ?? 0, step: level?.scale[plane.y] ?? 1 };
  const sign = own || isUpward ? 1 : -1;
  const xs = [x.start - x.step / 2, x.start + (width - 0.5) * x.step];
  const ys = [sign * (y.start - y.step / 2), sign * (y.start + (height - 0.5) * y.step)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}
