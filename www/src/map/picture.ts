/**
 * The map that draws a scene: a layer of pyramid tiles, labels above it, coast lines and a
 * graticule if it is on the globe, and a scale bar if it has lengths. It reports the camera, the
 * values under the pointer, and the progress of tiles.
 */
import "./picture.css";
import type ScaleLine from "ol/control/ScaleLine.js";
import type BaseLayer from "ol/layer/Base.js";
import type Layer from "ol/layer/Layer.js";
import OpenLayersMap from "ol/Map.js";
import { unByKey } from "ol/Observable.js";
import type Projection from "ol/proj/Projection.js";
import View from "ol/View.js";
import * as zarr from "zarr-wasm";
import type { TileProgress } from "zarr-wasm/openlayers";
import type { AxisTexts } from "../model/scene/coordinates.js";
import { type Limits, limitsOf } from "../model/scene/limits.js";
import type { Camera, Scene } from "../model/scene/scene.js";
import { extentOf } from "./extent.js";
import { LabelLayers } from "./label_layers.js";
import type { MapLines, VisibleLines } from "./map_lines.js";
import { durationOf, interactionsOf } from "./motion.js";
import { projectionOf, scaleBar } from "./projections.js";
import { PyramidLayer } from "./pyramid_layer.js";
import { isIncomplete, type RawReading, type Reading, readingOf } from "./readings.js";
import { type ViewBox, viewBoxOf } from "./view_box.js";
import { checkWebGl } from "./webgl.js";

/** A scene and how it is seen. */
export interface PictureState {
  scene: Scene;
  /** Indices by name of axis. */
  at: Record<string, number>;
  /** Without one the whole picture is shown. */
  camera?: Camera;
  /** Null: the level follows the zoom. */
  level: number | null;
  /** The lines to show if the picture is a map. */
  lines: VisibleLines;
  texts: AxisTexts;
}

/** Maximum width of an element of the finest level in CSS pixels. */
const LARGEST_PIXEL = 64;
/** Zooming out stops when the picture has this share of the map's size. */
const SMALLEST_SHARE = 0.4;
/** Margin around a fitted picture, as a share of its sides. */
const MARGIN = 0.03;
/** The share of values that "limits in view" leave out at each end. */
const LEFT_OUT = 0.002;
/**
 * Number of concurrent tile requests. With OpenLayers' default of 16, parts of a view would wait.
 */
const TILES_AT_ONCE = 64;
/** Values that must be read are read when the pointer has rested for this time in ms. */
const REST_MS = 80;
/** The times of animations. */
const FIT_MS = 200;
const ZOOM_MS = 150;
/** Longer than OpenLayers' timers after a frame. */
const RETIRED_MS = 100;

/** The layers of a scene. */
interface Drawn {
  image: PyramidLayer;
  labels: LabelLayers;
  projection: Projection;
  bar: ScaleLine | null;
  lines?: MapLines;
  stop: () => void;
}

export class Picture {
  /** The camera rests at another position. */
  onCamera: () => void = () => {};
  /** The camera has moved, also during a movement. */
  onMove: () => void = () => {};
  /** Another scene is drawn, or the same one with other limits of zooming. */
  onView: () => void = () => {};
  /** Null if the pointer is outside of the picture. */
  onPointer: (reading: Reading | null) => void = () => {};
  /** The user has chosen a point. */
  onPick: (reading: Reading) => void = () => {};
  onProgress: (progress: TileProgress) => void = () => {};
  /** A click in the picture that is neither a drag nor half of a double click. */
  onClick: (point: readonly [x: number, y: number], withShift: boolean) => void = () => {};
  onError: (error: unknown) => void = () => {};
  /** The level that is drawn. */
  onLevel: (level: number) => void = () => {};

  readonly #map: OpenLayersMap;
  #showing = new AbortController();
  #state: PictureState | null = null;
  #drawn: Drawn | null = null;
  #level = -1;
  /** The camera that shows the whole picture, if it is in use. */
  #fitted: Camera | null = null;
  /** The finest and the coarsest resolution of the picture that this one follows. */
  #zoomRange: readonly [finest: number, coarsest: number] | null = null;
  #pointer: number[] | null = null;
  #readTimer = 0;
  #isReading = false;
  #overlay: Layer | null = null;

  /**
   * The map and its scale bar are put into `target`. `pixelRatio` is the number of pixels per CSS
   * pixel, by default that of the screen. Throws an error for the user if the browser cannot draw.
   */
  constructor(target: HTMLElement, { pixelRatio }: { pixelRatio?: number } = {}) {
    checkWebGl();
    this.#map = new OpenLayersMap({
      target,
      pixelRatio,
      controls: [],
      interactions: interactionsOf(),
      maxTilesLoading: TILES_AT_ONCE,
    });
    this.#listen(target);
  }

  #listen(target: HTMLElement): void {
    this.#map.on("moveend", () => {
      this.onCamera();
      this.#pointAgain();
    });
    this.#map.on("change:view", () => {
      this.#map.getView().on(["change:center", "change:resolution"], () => this.onMove());
      this.onView();
    });
    this.#map.on("postrender", () => this.#tellLevel());
    this.#map.on("change:size", () => this.#fitAgain());
    this.#map.on("pointermove", ({ pixel, dragging }) => {
      // At the same position, a read in progress continues.
      if (!dragging && pixel.join() !== this.#pointer?.join()) this.#point(pixel);
    });
    this.#map.on("click", ({ pixel }) => void this.#pick(pixel));
    this.#map.on("singleclick", ({ pixel, originalEvent }) => {
      const found = this.#rawAt(pixel);
      if (found) this.onClick(found.place, originalEvent.shiftKey);
    });
    target.addEventListener("pointerleave", ({ pointerType }) => {
      // Lifting a finger is a leave event too. The tapped value stays visible.
      if (pointerType === "mouse") this.#point(null);
    });
  }

  /**
   * The previous picture stays until the projection of the new one is there. Resolves when the map
   * has all its layers, or has reported an error.
   */
  async show(state: PictureState): Promise<void> {
    this.#showing.abort();
    this.#showing = new AbortController();
    const { signal } = this.#showing;
    this.#state = { ...state };
    try {
      await this.#draw(this.#state, signal);
    } catch (error) {
      if (!signal.aborted) this.onError(error);
    }
  }

  async #draw(state: PictureState, signal: AbortSignal): Promise<void> {
    const projection = await projectionOf(state.scene.space, extentOf(state.scene));
    if (signal.aborted) return;
    this.#remove();
    // It may have changed meanwhile.
    const { scene, at, level, camera } = state;
    const onError = (error: unknown) => this.onError(error);
    const image = new PyramidLayer(scene, at, projection);
    image.source.onProgress = (progress) => this.#tellProgress(progress);
    image.source.onError = onError;
    image.source.setLevel(level);
    const { store } = scene.array;
    const labels = new LabelLayers({ map: this.#map, store, projection, signal, onError }, at);
    const bar = scaleBar(projection);
    this.#drawn = { image, labels, projection, bar, stop: image.source.follow(this.#map) };
    this.#map.setView(this.#view(this.#drawn, camera));
    this.#map.addLayer(image.layer);
    if (bar) this.#map.addControl(bar);
    labels.set(scene.labels);
    await Promise.all([this.#drawLines(), labels.opened()]);
  }

  /** Removes the scene. */
  clear(): void {
    this.#showing.abort();
    this.#state = null;
    this.#remove();
    this.#point(null);
  }

  /** Removes the map, too. Nothing can be shown any more. */
  dispose(): void {
    this.clear();
    setTimeout(() => this.#map.setTarget(undefined), 2 * RETIRED_MS);
  }

  #remove(): void {
    const drawn = this.#drawn;
    this.#drawn = null;
    this.#level = -1;
    drawn?.stop();
    drawn?.labels.stop();
    for (const layer of this.#map.getLayers().getArray()) this.#retire(layer);
    if (drawn?.bar) this.#map.removeControl(drawn.bar);
  }

  /**
   * Hides a layer at once and removes it later: OpenLayers defers some of its work on a layer, and
   * fails if the layer is disposed by then.
   */
  #retire(layer: BaseLayer): void {
    layer.setVisible(false);
    setTimeout(() => {
      this.#map.removeLayer(layer);
      layer.dispose();
    }, RETIRED_MS);
  }

  /** The view of a camera, or of the whole picture. */
  #view({ image: { source }, projection }: Drawn, camera?: Camera): View {
    this.#map.updateSize();
    const [fitting, widest] = [this.#fitting(source), this.#widest(source)];
    this.#fitted = camera ? null : fitting;
    const { x, y, resolution: wanted } = camera ?? fitting;
    const resolution = Math.min(wanted, widest);
    const usual = [Math.min(...source.elementSize(0)) / LARGEST_PIXEL, fitting.resolution / SMALLEST_SHARE];
    const [narrow = 0, wide = 0] = this.#zoomRange ?? usual;
    const maxResolution = Math.min(Math.max(resolution, wide), widest);
    const finest = Math.min(narrow, fitting.resolution, resolution);
    return new View({
      projection,
      center: [x, y],
      resolution,
      // OpenLayers rounds the finest resolution up to the coarsest one divided by a power of two.
      minResolution: maxResolution / 2 ** Math.ceil(Math.log2(maxResolution / finest)),
      maxResolution,
      extent: source.extent,
      constrainOnlyCenter: true,
      smoothExtentConstraint: false,
      showFullExtent: true,
    });
  }

  /** An array without coarse levels may be too large to be shown completely. */
  #widest(source: PyramidLayer["source"]): number {
    const [width = 1, height = 1] = this.#map.getSize() ?? [];
    return source.widestResolution([width, height]);
  }

  /** The camera that shows the whole picture with a margin. */
  #fitting(source: PyramidLayer["source"]): Camera {
    const [left, bottom, right, top] = source.extent;
    const [width = 1, height = 1] = this.#map.getSize() ?? [];
    const share = 1 - 2 * MARGIN;
    const whole = Math.max(
      (right - left) / Math.max(width * share, 1),
      (top - bottom) / Math.max(height * share, 1),
    );
    const resolution = Math.min(whole, this.#widest(source));
    return { x: (left + right) / 2, y: (bottom + top) / 2, resolution };
  }

  /** Sets the indices of axes. The old picture stays until the new one is loaded. */
  setAt(at: Record<string, number>): void {
    if (this.#state) this.#state.at = at;
    this.#drawn?.image.setAt(at);
    this.#drawn?.labels.setAt(at);
    this.#pointAgain();
  }

  /**
   * Changes the channels, the style and the labels to those of the scene. It needs no requests,
   * except for a channel that is shown for the first time if there are more than four, and labels.
   */
  restyle(scene: Scene): void {
    if (this.#state) this.#state.scene = scene;
    this.#drawn?.image.restyle(scene);
    this.#drawn?.labels.set(scene.labels);
    this.#pointAgain();
  }

  /** Fixes the level. Null: it follows the zoom. */
  setLevel(level: number | null): void {
    if (this.#state) this.#state.level = level;
    this.#drawn?.image.source.setLevel(level);
  }

  /** Shows or hides the lines of a map. */
  setLines(lines: VisibleLines): void {
    if (this.#state) this.#state.lines = lines;
    this.#drawLines().catch((error: unknown) => this.onError(error));
  }

  /** A page without maps does not load the code and the data of their lines. */
  async #drawLines(): Promise<void> {
    const [drawn, state] = [this.#drawn, this.#state];
    if (!drawn || !state) return;
    const { kind } = state.scene.space;
    const isMap = kind === "geographic" || (kind === "projected" && drawn.projection.getCode() !== "plane");
    if (!isMap || !(state.lines.coast || state.lines.graticule || drawn.lines)) return;
    const { MapLines } = await import("./map_lines.js");
    if (drawn !== this.#drawn) return;
    drawn.lines ??= new MapLines(this.#map, drawn.projection, drawn.image.source.extent);
    drawn.lines.show(state.lines);
  }

  /** Reads the tiles of another step for the current view. */
  async preload(at: Record<string, number>): Promise<void> {
    await Promise.all([this.#drawn?.image.preload(at), this.#drawn?.labels.preload(at)]);
  }

  /** For layers and interactions of others. */
  get map(): OpenLayersMap {
    return this.#map;
  }

  /**
   * The column and row of the finest array at a point, also of a warped map. Null outside of it.
   */
  async elementAt(
    [x, y]: readonly [x: number, y: number],
    signal: AbortSignal,
  ): Promise<{ column: number; row: number } | null> {
    const [drawn, plane] = [this.#drawn, this.#state?.scene.plane];
    const reading = await drawn?.image.source.read(x, y, 0, signal);
    const [column = -1, row = -1] = plane ? [reading?.index[plane.x], reading?.index[plane.y]] : [];
    return column >= 0 && row >= 0 ? { column, row } : null;
  }

  /** Resolves when every tile of the view is drawn or has failed. */
  async idle(): Promise<void> {
    const [drawn, [width = 0, height = 0] = []] = [this.#drawn, this.#map.getSize()];
    if (!drawn || width * height === 0) return;
    const sources = [drawn.image.source, ...drawn.labels.visible.map(({ layer }) => layer.source)];
    // For OpenLayers, a picture with a failed tile is never complete.
    if (sources.some(({ hasFailed }) => hasFailed)) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        unByKey(keys);
        resolve();
      };
      const failures = sources.map((source) => source.on("tileloaderror", end));
      const keys = [this.#map.once("rendercomplete", end), ...failures];
      this.#map.render();
    });
  }

  /** The limits of the visible values. Null if there are none. */
  async limitsInView(): Promise<Limits | null> {
    const lists = [...(this.#drawn?.image.source.valuesInView() ?? [])].map(({ values }) => values);
    return limitsOf(zarr.Histogram.of(lists, { bins: 4096 }), LEFT_OUT);
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
    if (drawn && isFitted) this.#map.setView(this.#view(drawn));
  }

  fit(): void {
    if (!this.#drawn) return;
    this.#fitted = this.#fitting(this.#drawn.image.source);
    const { x, y, resolution } = this.#fitted;
    this.#map.getView().animate({ center: [x, y], resolution, duration: durationOf(FIT_MS) });
  }

  zoomBy(factor: number): void {
    const view = this.#map.getView();
    view.animate({
      resolution: view.getConstrainedResolution(this.camera().resolution / factor),
      duration: durationOf(ZOOM_MS),
    });
  }

  /** Draws the picture as it is on a canvas of any size, without the scale bar. */
  drawOn(context: CanvasRenderingContext2D): void {
    const { width, height } = context.canvas;
    this.#map.once("postrender", () => {
      // Later, browsers have emptied the canvases of WebGL.
      const canvases = this.#map.getViewport()?.querySelectorAll("canvas") ?? [];
      for (const canvas of canvases) {
        const { opacity } = getComputedStyle(canvas.parentElement ?? canvas);
        context.globalAlpha = Number(opacity);
        if (canvas.width * canvas.height > 0) context.drawImage(canvas, 0, 0, width, height);
      }
      context.globalAlpha = 1;
    });
    this.#map.renderSync();
  }

  /**
   * Puts a layer above the picture, which stays when another scene is shown. Null: takes it away.
   */
  setOverlay(layer: Layer | null): void {
    if (layer === this.#overlay) return;
    this.#overlay?.setMap(null);
    layer?.setMap(this.#map);
    this.#overlay = layer;
  }

  /** The level for a resolution, if it follows the zoom. */
  levelFor(resolution: number): number {
    return this.#drawn?.image.source.levelFor(resolution) ?? 0;
  }

  /** What is drawn, the size of the view, and the elements in it. Null if there are none. */
  snapshot(): { state: PictureState; size: [width: number, height: number]; box: ViewBox } | null {
    const [width = 0, height = 0] = this.#map.getSize() ?? [];
    if (!this.#drawn || !this.#state || width * height === 0) return null;
    const [camera, extent] = [this.camera(), this.#map.getView().calculateExtent([width, height])];
    const box = viewBoxOf(this.#drawn.image.source, extent, camera.resolution);
    return box && { state: { ...this.#state, camera }, size: [width, height], box };
  }

  /** Pans by CSS pixels. */
  panBy(dx: number, dy: number): void {
    const { x, y, resolution } = this.camera();
    this.#map.getView().setCenter([x + dx * resolution, y - dy * resolution]);
  }

  setCamera({ x, y, resolution }: Camera): void {
    const view = this.#map.getView();
    view.setCenter([x, y]);
    view.setResolution(resolution);
    this.#map.renderSync(); // so that positions on the screen are those of now
  }

  /** Takes the camera of another picture, and its limits of zooming, in this picture's units. */
  follow({ x, y, resolution }: Camera, zoomRange: readonly [number, number]): void {
    const drawn = this.#drawn;
    const isNew = this.#zoomRange?.join() !== zoomRange.join();
    this.#zoomRange = zoomRange;
    if (!drawn) return;
    if (isNew) this.#map.setView(this.#view(drawn, { x, y, resolution }));
    const view = this.#map.getView();
    view.setResolution(resolution);
    view.setCenter([x, y]);
  }

  /** The finest and the coarsest resolution. */
  zoomRange(): readonly [finest: number, coarsest: number] {
    const view = this.#map.getView();
    return [view.getMinResolution(), view.getMaxResolution()];
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
    const level = this.#drawn?.image.source.levelFor(this.camera().resolution);
    if (level === undefined || level === this.#level) return;
    this.#level = level;
    this.onLevel(level);
  }

  #pointAgain(): void {
    if (this.#pointer) this.#point(this.#pointer);
  }

  #point(pixel: number[] | null): void {
    this.#pointer = pixel;
    clearTimeout(this.#readTimer);
    const found = pixel && this.#rawAt(pixel);
    this.onPointer(found && readingOf(found));
    if (found && isIncomplete(found)) this.#readTimer = window.setTimeout(() => this.#readAt(found), REST_MS);
  }

  /** What is known of a point without a request. Null outside of the picture. */
  #rawAt(pixel: number[]): RawReading | null {
    const [x, y] = this.#map.getCoordinateFromPixel(pixel) ?? [];
    return x === undefined || y === undefined ? null : this.#rawOf([x, y]);
  }

  #rawOf([x, y]: readonly [x: number, y: number]): RawReading | null {
    const [state, drawn] = [this.#state, this.#drawn];
    if (!state || !drawn) return null;
    const { resolution } = this.camera();
    const image = drawn.image.source.reading(x, y, resolution);
    if (!image) return null;
    const labels = drawn.labels.visible.flatMap(({ label, facts, layer }) => {
      const reading = layer.source.reading(x, y, resolution);
      return reading ? [{ label, facts, reading }] : [];
    });
    const step = Math.min(...drawn.image.source.elementSize(image.level));
    return { ...state, projection: drawn.projection, place: [x, y], step, image, labels };
  }

  /** Tells the values at a resting pointer that are not cached. */
  async #readAt(found: RawReading): Promise<void> {
    const pointer = this.#pointer;
    const whole = await this.#read(found);
    if (whole && pointer === this.#pointer) this.onPointer(readingOf(whole));
  }

  /** Reads the values of a point that are not cached. Null if it fails, which the tile reports. */
  async #read(found: RawReading): Promise<RawReading | null> {
    const drawn = this.#drawn;
    if (!drawn) return null;
    const [{ place }, { resolution }, { signal }] = [found, this.camera(), this.#showing];
    try {
      const image = (await drawn.image.source.read(...place, resolution, signal)) ?? found.image;
      const labels = await Promise.all(
        drawn.labels.visible.map(async ({ label, facts, layer }) => ({
          label,
          facts,
          reading: await layer.source.read(...place, resolution, signal),
        })),
      );
      return { ...found, image, labels, isRead: true };
    } catch {
      return null;
    }
  }

  /** What is known of a point of the map, and then, if something must be read, all of it. */
  async *readingsAt(point: readonly [x: number, y: number]): AsyncGenerator<Reading> {
    const found = this.#rawOf(point);
    if (found) yield readingOf(found);
    const whole = found && isIncomplete(found) && (await this.#read(found));
    if (whole) yield readingOf(whole);
  }

  /** Tells of a point that the user chose, when all its values are known. */
  async #pick(pixel: number[]): Promise<void> {
    this.#point(pixel);
    const found = this.#rawAt(pixel);
    const whole = found && isIncomplete(found) ? await this.#read(found) : found;
    if (whole) this.onPick(readingOf(whole));
  }

  /** Chooses the point in the middle, as a click does. */
  pickMiddle(): void {
    const [width = 0, height = 0] = this.#map.getSize() ?? [];
    void this.#pick([width / 2, height / 2]);
  }
}
