/**
 * Thumbnails of the first field of each well: the coarsest level at the first indices, with the
 * channels added as on the map. They are read when a well comes into view, a few at a time, until
 * another node is shown. All wells have the same limits, so they can be compared.
 */

import * as zarr from "zarr-wasm";
import { type Dataset, remembered } from "../../model/opening/dataset.js";
import { unstyledScene } from "../../model/scene/build_scene.js";
import { channelsOf } from "../../model/scene/channels.js";
import { planeSelection } from "../../model/scene/limits.js";
import { readWell } from "../../model/scene/ome.js";
import type { SceneChannel, UnstyledScene } from "../../model/scene/scene.js";
import { joined } from "../../model/text/paths.js";

/** Maximum length of a side in pixels. */
const SIDE = 160;
/** Maximum number of elements in the plane of the level that is read. */
const MAX_ELEMENTS = 2 ** 24;
/** Number of wells that are read concurrently. Each needs a few requests. */
const AT_ONCE = 4;

/** The channels of an image itself. */
const ownChannels = async (image: UnstyledScene): Promise<readonly SceneChannel[]> =>
  (await channelsOf(image))?.channels ?? [];

/** Reads the pixels of an image with these channels. */
async function thumbnail(
  { pyramid, axes, plane, signal }: UnstyledScene,
  channels: readonly SceneChannel[],
): Promise<ImageData> {
  const level = pyramid.levels.at(-1) as zarr.PyramidLevel;
  const [columns = 0, rows = 0] = [level.shape[plane.x], level.shape[plane.y]];
  if (columns * rows > MAX_ELEMENTS) throw new Error("the coarsest level is too large for a thumbnail");
  const step = Math.max(1, Math.ceil(Math.max(columns, rows) / SIDE));
  const visible = channels.filter((channel) => channel.visible);
  const pictures = visible.map(async ({ index, color, window, gamma }) => {
    const at = axes.map(({ role, start }) => (role === "c" ? index : start));
    const selection = planeSelection(pyramid, level, { plane, at }, () => zarr.slice(null, null, step));
    const look = { as: "rgba", colors: ["#000000", color], window, gamma } as const;
    return (await level.array.get(selection, { ...look, memoryOrder: [plane.y, plane.x], signal })).data;
  });
  return new ImageData(zarr.addLight(await Promise.all(pictures)), Math.ceil(columns / step));
}

export interface PlateElements {
  dataset: Dataset;
  /** The path of the plate. */
  path: string;
  /** The elements of the wells, with their paths. A well is read when its element is in view. */
  wells: readonly HTMLElement[];
  /** The element that scrolls the wells. */
  root: HTMLElement;
  /** Aborts when another node is shown. */
  signal: AbortSignal;
  /** Takes the picture of a well. Null if it cannot be read. */
  show(well: HTMLElement, pixels: ImageData | null): void;
}

export class PlateThumbnails {
  readonly #plate: PlateElements;
  readonly #observer: IntersectionObserver;
  /** The wells in view whose reads have not begun. */
  readonly #waiting = new Set<HTMLElement>();
  readonly #images = new Map<HTMLElement, Promise<UnstyledScene>>();
  #channels: Promise<readonly SceneChannel[]> | null = null;
  #running = 0;

  constructor(plate: PlateElements) {
    this.#plate = plate;
    this.#observer = new IntersectionObserver((entries) => this.#seen(entries), { root: plate.root });
    for (const well of plate.wells) this.#observer.observe(well);
    plate.signal.addEventListener("abort", () => {
      this.#observer.disconnect();
      this.#waiting.clear();
    });
  }

  #seen(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) this.#waiting.add(target as HTMLElement);
      else this.#waiting.delete(target as HTMLElement);
    }
    this.#next();
  }

  #next(): void {
    for (const well of this.#waiting) {
      if (this.#running >= AT_ONCE) return;
      this.#waiting.delete(well);
      // Each well is read once.
      this.#observer.unobserve(well);
      this.#running += 1;
      void this.#show(well).finally(() => {
        this.#running -= 1;
        this.#next();
      });
    }
  }

  async #show(well: HTMLElement): Promise<void> {
    const { signal, show } = this.#plate;
    // The error is shown when the field is opened.
    const pixels = await this.#pixels(well).catch(() => null);
    if (!signal.aborted) show(well, pixels);
  }

  async #pixels(well: HTMLElement): Promise<ImageData> {
    this.#channels ??= this.#sharedChannels();
    const [image, shared] = await Promise.all([this.#image(well), this.#channels]);
    return thumbnail(image, shared.length > 0 ? shared : await ownChannels(image));
  }

  #image(well: HTMLElement): Promise<UnstyledScene> {
    return remembered(this.#images, well, () => this.#open(well));
  }

  /** Opens the first field of a well, without its labels. */
  async #open(well: HTMLElement): Promise<UnstyledScene> {
    const { dataset, path, signal } = this.#plate;
    const at = joined(path, well.dataset.path ?? "");
    const [field] = readWell(await dataset.node(at)) ?? [];
    signal.throwIfAborted();
    if (field === undefined) throw new Error(`the well ${at} names no field`);
    const group = await dataset.node(joined(at, field));
    signal.throwIfAborted();
    return unstyledScene(await zarr.pyramid(group, { labels: false, signal }), group.attrs, { signal });
  }

  /**
   * The channels of the first, the middle and the last well. Each window contains the windows of
   * all. None if they cannot be read.
   */
  async #sharedChannels(): Promise<readonly SceneChannel[]> {
    const { wells } = this.#plate;
    const indices = [0, Math.floor(wells.length / 2), wells.length - 1];
    const sampled = [...new Set(indices)].flatMap((at) => wells[at] ?? []);
    const read = sampled.map(async (well) => ownChannels(await this.#image(well)));
    const lists = (await Promise.allSettled(read)).flatMap((list) =>
      list.status === "fulfilled" ? [list.value] : [],
    );
    return (lists[0] ?? []).map((channel, at) => {
      const windows = lists.flatMap((list) => (list[at] ? [list[at].window] : []));
      const low = Math.min(...windows.map(([from]) => from));
      const high = Math.max(...windows.map(([, to]) => to));
      return { ...channel, window: [low, high] };
    });
  }
}
