/** The picture and everything around it that changes it: the plane's view, its sliders, its contrast, the value under the pointer. */

import type { Colour } from "./colour_map.js";
import { distribution } from "./contrast.js";
import type { ContrastPanel } from "./contrast_panel.js";
import { createPlaneView } from "./create_plane_view.js";
import type { ArrayNode } from "./dataset.js";
import { type PlaceName, placeNames, placeText, unitsOf } from "./decoded.js";
import { valueText } from "./number_text.js";
import { type Plane, planeAt, planeSize } from "./plane.js";
import type { Camera, Place, PlaneView } from "./plane_view.js";
import type { Sliders } from "./sliders.js";
import { type TileProgress, TileSource } from "./tile_source.js";
import type { UrlState } from "./url_state.js";

/** While tiles arrive, automatic limits are found again so often. */
const CONTRAST_MS = 200;

export interface PictureParts {
  plane: HTMLElement;
  pointer: HTMLElement;
  sliders: Sliders;
  contrast: ContrastPanel;
}

export class Picture {
  /** The picture is another one: the address of the page should say so. */
  onChange: () => void = () => {};
  onProgress: (progress: TileProgress) => void = () => {};
  onError: (error: unknown) => void = () => {};

  readonly #parts: PictureParts;
  readonly #source: TileSource;
  readonly #view: PlaneView;
  #plane: Plane | null = null;
  #colours = "";
  #contrastTimer = 0;
  #pointed: Place | null = null;
  #names: readonly (PlaceName | undefined)[] = [];
  #naming = new AbortController();

  static async create(parts: PictureParts): Promise<Picture> {
    const source = new TileSource();
    return new Picture(parts, source, await createPlaneView(parts.plane, source));
  }

  private constructor(parts: PictureParts, source: TileSource, view: PlaneView) {
    this.#parts = parts;
    this.#source = source;
    this.#view = view;
    source.onProgress = (progress) => this.#progress(progress);
    source.onError = (error) => this.onError(error);
    parts.plane.tabIndex = 0;
    view.onCamera = () => this.onChange();
    view.onPointer = (place) => this.#point(place);
    parts.sliders.onChange = (plane) => this.#turn(plane);
    parts.contrast.onRange = (range) => {
      view.setContrast(range);
      this.onChange();
    };
    parts.contrast.onColours = (colours: readonly Colour[], name: string) => {
      this.#colours = name;
      view.setColours(colours);
      this.onChange();
    };
  }

  get drawnBy(): string {
    return this.#view.drawnBy;
  }

  /** Shows an array from the start, with what a state of the page says about it. */
  show(array: ArrayNode, wanted: UrlState): void {
    const { contrast } = this.#parts;
    contrast.reset();
    contrast.setColours(wanted.colours ?? this.#colours);
    if (wanted.contrast) contrast.setRange(wanted.contrast);
    this.#turn(planeAt(array, wanted), wanted.view);
  }

  /** The same picture from another level of the pyramid: indices and camera go along in proportion. */
  showLevel(array: ArrayNode): void {
    const old = this.#plane;
    if (!old) {
      this.show(array, {});
      return;
    }
    const at = old.at.map((index, axis) =>
      scaledIndex(index, old.array.shape[axis] ?? 1, array.shape[axis] ?? 1),
    );
    const plane = planeAt(array, { plane: { x: old.x, y: old.y }, at });
    const camera = this.#view.camera();
    const ratio = planeSize(plane).width / planeSize(old).width;
    this.#turn(plane, { x: camera.x * ratio, y: camera.y * ratio, scale: camera.scale / ratio });
  }

  /** What the picture adds to the page's address. */
  state(): UrlState {
    const plane = this.#plane;
    if (!plane) return {};
    const { automatic, range } = this.#parts.contrast;
    return {
      plane: { x: plane.x, y: plane.y },
      at: [...plane.at],
      ...(automatic ? {} : { contrast: range }),
      colours: this.#colours,
      view: this.#view.camera(),
    };
  }

  fit(): void {
    this.#view.fit();
  }

  zoomBy(factor: number): void {
    this.#view.zoomBy(factor);
  }

  /** Has the coordinates of an array read, beside its picture. */
  async #name(array: ArrayNode): Promise<void> {
    this.#naming.abort();
    this.#naming = new AbortController();
    const { signal } = this.#naming;
    this.#names = [];
    const names = await placeNames(array, signal);
    if (signal.aborted) return;
    this.#names = names;
    this.#parts.sliders.setNames(names);
    this.#point(this.#pointed);
  }

  #turn(plane: Plane, camera?: Camera): void {
    if (this.#plane?.array !== plane.array) this.#name(plane.array);
    this.#plane = plane;
    this.#parts.plane.setAttribute("aria-busy", "true");
    this.#parts.sliders.show(plane);
    this.#source.setPlane(plane);
    this.#view.showPlane(camera);
    this.#point(null);
    this.onChange();
  }

  #progress(progress: TileProgress): void {
    this.onProgress(progress);
    if (progress.done === 0) return;
    // The tile under the pointer may be among those that arrived.
    this.#point(this.#pointed);
    if (progress.done === progress.wanted) this.#findContrast();
    else if (this.#contrastTimer === 0) {
      this.#contrastTimer = window.setTimeout(() => this.#findContrast(), CONTRAST_MS);
    }
    // Two frames: the tiles that just arrived are uploaded in the one and on the screen after the other.
    if (progress.done === progress.wanted) {
      requestAnimationFrame(() =>
        requestAnimationFrame(() =>
          this.#parts.plane.setAttribute("aria-busy", String(this.#source.isReading)),
        ),
      );
    }
  }

  #findContrast(): void {
    clearTimeout(this.#contrastTimer);
    this.#contrastTimer = 0;
    const found = distribution(this.#source.tilesAtHand(this.#view.visibleTiles()));
    if (found) this.#parts.contrast.setDistribution(found);
  }

  #point(place: Place | null): void {
    const { pointer } = this.#parts;
    this.#pointed = place;
    pointer.hidden = place === null || this.#plane === null;
    if (!place || !this.#plane) return;
    const { array, x, y, at } = this.#plane;
    const indices = at.map((index, axis) => (axis === x ? place.x : axis === y ? place.y : index));
    const value = this.#source.elementAt(place.x, place.y);
    const text = value === undefined ? "…" : `${pointedText(value)} ${unitsOf(array)}`.trim();
    pointer.textContent = `${placeText(array, indices, this.#names)}  →  ${text}`;
  }
}

/** What is not a number is missing. */
const pointedText = (value: unknown) => (Number.isNaN(value) ? "missing" : valueText(value));

function scaledIndex(index: number, from: number, to: number): number {
  return from === to ? index : Math.floor(((index + 0.5) * to) / from);
}
