/** The panels of the colours of a view: those of its channels, or of its field. */

import type { Picture } from "../../map/picture.js";
import { coarseHistogram } from "../../model/scene/limits.js";
import type { Scene } from "../../model/scene/scene.js";
import { Channels } from "./channels.js";
import { Field } from "./field.js";

/** The view whose colours they are: a part of `SceneView`, which is above the panels. */
export interface ColouredView {
  readonly scene: Scene | null;
  /** The indices by name of axis. */
  readonly at: Readonly<Record<string, number>>;
  readonly picture: Pick<Picture, "limitsInView">;
  restyle(style: ColourStyle, changed: ColourStyle): void;
}

type ColourStyle = Partial<Pick<Scene, "channels" | "field">>;

/** Elements with a title, and those that are filled. */
export interface ColourElements {
  channelsSection: HTMLElement;
  channels: HTMLElement;
  fieldSection: HTMLElement;
  field: HTMLElement;
}

/** Number of bins of the histograms with which users set limits. */
const BINS = { bins: 128 };

export class Colours {
  /** Values are to be shown as they are stored, or unpacked. Without it there is no such choice. */
  onStored: ((isStored: boolean) => void) | null = null;
  readonly #channels: Channels;
  readonly #field: Field;
  #signal: AbortSignal = new AbortController().signal;

  constructor(
    readonly elements: ColourElements,
    readonly view: ColouredView,
  ) {
    this.#channels = new Channels(elements.channels, (channels) => view.restyle({ channels }, { channels }));
    const setStored = (isStored: boolean) => this.onStored?.(isStored);
    this.#field = new Field(elements.field, (field) => view.restyle({ field }, { field }), setStored);
  }

  /** Shows the colours of the view's scene. The signal ends reads of histograms. */
  show(scene: Scene, signal: AbortSignal): void {
    this.#signal = signal;
    const { title, field, integer, kind, channels, axes, isPacked, decode } = scene;
    this.elements.fieldSection.hidden = kind !== "field";
    this.elements.channelsSection.hidden = channels.length === 0;
    if (field) {
      const limitsInView = () => this.view.picture.limitsInView();
      const isStored = isPacked && this.onStored ? !decode : undefined;
      const histogram = () => this.#histogram();
      this.#field.show({ title, style: field, integer, isStored, histogram, limitsInView });
    } else {
      const count = (kind === "image" && axes.find(({ role }) => role === "c")?.length) || channels.length;
      this.#channels.show({ channels, count, integer, histogram: ({ index }) => this.#histogram(index) });
    }
  }

  /** The histogram of the visible plane of a channel. */
  async #histogram(channel?: number) {
    const { scene, at: shownAt } = this.view;
    const { pyramid, axes, plane, decode } = scene as Scene;
    const at = axes.map(({ name, role }) => (role === "c" ? channel : undefined) ?? shownAt[name] ?? 0);
    return coarseHistogram(pyramid, { plane, at, decode, signal: this.#signal }, BINS);
  }
}
