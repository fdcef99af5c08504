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
  /** The paths of the wells, in order. */
  wells: readonly string[];
  /** The element that scrolls the wells. */
  root: HTMLElement;
  /** Aborts when another node is shown. */
  signal: AbortSignal;
}

export class PlateThumbnails {
  /** The picture of a well. Null if it cannot be read. */
  onPicture: (path: string, pixels: ImageData | null) => void = () => {};

  readonly #place: PlatePlace;
  readonly #observer: IntersectionObserver;
  readonly #paths = new Map<Element, string>();
  readonly #elements = new Map<string, Element>();
  /** The wells in view whose reads have not begun. */
  readonly #waiting = new Set<string>();
  readonly #images = new Map<string, Promise<SmallImage>>();
  #channels: Promise<SceneChannel[]> | null = null;
  #running = 0;

  constructor(place: PlatePlace) {
    this.#place = place;
    this.#observer = new IntersectionObserver((entries) => this.#seen(entries), { root: place.root });
    place.signal.addEventListener("abort", () => {
      this.#observer.disconnect();
      this.#waiting.clear();
    });
  }

  /** Reads a well when its element is in view. */
  watch(element: Element, path: string): void {
    this.#paths.set(element, path);
    this.#elements.set(path, element);
    this.#observer.observe(element);
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
      if (this.#running >= AT_ONCE) return;
      this.#waiting.delete(path);
      this.#forget(path);
      this.#running += 1;
      void this.#show(path).finally(() => {
        this.#running -= 1;
        this.#next();
      });
    }
  }

  /** Each well is read once. */
  #forget(path: string): void {
    const element = this.#elements.get(path);
    if (element) this.#observer.unobserve(element);
  }

  async #show(path: string): Promise<void> {
    const { signal } = this.#place;
    try {
      const [image, shared] = await Promise.all([this.#image(path), this.#sharedChannels()]);
      const channels = shared.length > 0 ? shared : await image.channels(signal);
      const pixels = await thumbnail(image, channels, signal);
      if (!signal.aborted) this.onPicture(path, pixels);
    } catch {
      // The error is shown when the field is opened.
      if (!signal.aborted) this.onPicture(path, null);
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
    const { wells, signal } = this.#place;
    const places = [0, Math.floor(wells.length / 2), wells.length - 1];
    const sampled = [...new Set(places)].flatMap((at) => wells[at] ?? []);
    const lists = await Promise.allSettled(
      sampled.map(async (path) => (await this.#image(path)).channels(signal)),
    );
    const found = lists.flatMap((list) => (list.status === "fulfilled" ? [list.value] : []));
    return sharedChannels(found);
  }
}
