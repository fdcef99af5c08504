/**
 * Thumbnails of the first field of each well. They are read when a well comes into view, a few at a
 * time, until another node is shown. All wells have the same limits, so they can be compared.
 */

import type { Dataset } from "../opening/dataset.js";
import { remembered } from "../remembered.js";
import { readWell } from "../scene/plate.js";
import type { SceneChannel } from "../scene/scene.js";
import { type SmallImage, sharedChannels, smallImage, thumbnail } from "../scene/thumbnail.js";
import { joined } from "../text/paths.js";

/** Number of wells that are read concurrently. Each needs a few requests. */
const AT_ONCE = 4;

export interface PlatePlace {
  dataset: Dataset;
  /** The elements of the wells by path, in order. A well is read when its element is in view. */
  wells: ReadonlyMap<string, HTMLElement>;
  /** The element that scrolls the wells. */
  root: HTMLElement;
  /** Aborts when another node is shown. */
  signal: AbortSignal;
}

export class PlateThumbnails {
  /** The picture of a well. Null if it cannot be read. */
  onPicture: (well: HTMLElement, pixels: ImageData | null) => void = () => {};

  readonly #place: PlatePlace;
  readonly #observer: IntersectionObserver;
  readonly #paths: ReadonlyMap<Element, string>;
  /** The wells in view whose reads have not begun. */
  readonly #waiting = new Set<string>();
  readonly #images = new Map<string, Promise<SmallImage>>();
  #channels: Promise<SceneChannel[]> | null = null;
  #running = 0;

  constructor(place: PlatePlace) {
    this.#place = place;
    this.#paths = new Map([...place.wells].map(([path, element]) => [element, path]));
    this.#observer = new IntersectionObserver((entries) => this.#seen(entries), { root: place.root });
    for (const element of place.wells.values()) this.#observer.observe(element);
    place.signal.addEventListener("abort", () => {
      this.#observer.disconnect();
      this.#waiting.clear();
    });
  }

  #seen(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const path = this.#paths.get(target);
      if (path === undefined) continue;
      if (isIntersecting) this.#waiting.add(path);
      else this.#waiting.delete(path);
    }
    this.#next();
  }

  #next(): void {
    for (const path of this.#waiting) {
      const element = this.#place.wells.get(path);
      if (this.#running >= AT_ONCE) return;
      this.#waiting.delete(path);
      if (!element) continue;
      // Each well is read once.
      this.#observer.unobserve(element);
      this.#running += 1;
      void this.#show(path, element).finally(() => {
        this.#running -= 1;
        this.#next();
      });
    }
  }

  async #show(path: string, element: HTMLElement): Promise<void> {
    const { signal } = this.#place;
    try {
      const [image, shared] = await Promise.all([this.#image(path), this.#sharedChannels()]);
      const channels = shared.length > 0 ? shared : await image.channels(signal);
      const pixels = await thumbnail(image, channels, signal);
      if (!signal.aborted) this.onPicture(element, pixels);
    } catch {
      // The error is shown when the field is opened.
      if (!signal.aborted) this.onPicture(element, null);
    }
  }

  #image(path: string): Promise<SmallImage> {
    return remembered(this.#images, path, () => this.#open(path));
  }

  async #open(path: string): Promise<SmallImage> {
    const { dataset, signal } = this.#place;
    const well = await dataset.node(path);
    signal.throwIfAborted();
    const [field] = well.kind === "group" ? (readWell(well) ?? []) : [];
    if (field === undefined) throw new Error(`the well ${path} names no field`);
    const group = await dataset.node(joined(path, field));
    signal.throwIfAborted();
    if (group.kind !== "group") throw new Error(`the field ${field} of the well ${path} is no image`);
    return smallImage(group, signal);
  }

  /** The limits from the first, the middle and the last well. None if they cannot be read. */
  #sharedChannels(): Promise<SceneChannel[]> {
    this.#channels ??= this.#sampledChannels();
    return this.#channels;
  }

  async #sampledChannels(): Promise<SceneChannel[]> {
    const { signal } = this.#place;
    const wells = [...this.#place.wells.keys()];
    const places = [0, Math.floor(wells.length / 2), wells.length - 1];
    const sampled = [...new Set(places)].flatMap((at) => wells[at] ?? []);
    const lists = await Promise.allSettled(
      sampled.map(async (path) => (await this.#image(path)).channels(signal)),
    );
    const found = lists.flatMap((list) => (list.status === "fulfilled" ? [list.value] : []));
    return sharedChannels(found);
  }
}
