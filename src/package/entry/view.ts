/**
 * `zarr-wasm/view`: defines the element `<zarr-view>`, which shows data in any page. The viewer's
 * code is in `www/src/app/embed`. This file has its types; `scripts/embed.mjs` publishes it as one
 * file with its code. `ol`, `lit-html`, `proj4` and `d3-scale-chromatic` are the user's own.
 */
import { ZarrView } from "#view";
import type { Readable } from "../../engine/ts/model/types.ts";

/**
 * The attributes of the element, which have the names and forms of the viewer's address.
 *
 * - `src`, `path`, `variable`: the data set, the node in it, the array of a group.
 * - `plane`, `at`: the axes drawn across and down, and the indices of the others.
 * - `values`: `stored` shows values as they are stored.
 * - `view`, `level`: the middle of the view and its units for a CSS pixel; the level.
 * - `channels`, `colours`, `limits`: how channels and fields are coloured.
 * - `labels`, `layers`, `marks`: what lies above the picture.
 * - `plot`: what is plotted of the marks.
 * - `planes`: three planes of a volume, with a crosshair.
 * - `compare`, `with`: how the picture is compared, and with what.
 */
export type ZarrViewAttribute =
  | "src"
  | "path"
  | "variable"
  | "plane"
  | "values"
  | "at"
  | "view"
  | "level"
  | "channels"
  | "colours"
  | "limits"
  | "labels"
  | "layers"
  | "marks"
  | "plot"
  | "planes"
  | "compare"
  | "with";

/** What an element shows, as its attributes: set them in another element, and it shows the same. */
export type ZarrViewState = Partial<Record<ZarrViewAttribute, string>>;

/** A value at a point, as the element shows it. */
export interface ZarrViewValue {
  /** The name of the variable, or of the channel. */
  name: string;
  /** The value as the element shows it, with its unit. */
  text: string;
  /** The value itself. */
  value: unknown;
}

/** What lies at a point that the user has chosen. */
export interface ZarrViewPick {
  /** The point on the map. */
  place: readonly [x: number, y: number];
  /** The indices of the element in the array. */
  index: readonly {
    /** The name of the axis. */
    name: string;
    /** The index along it. */
    index: number;
  }[];
  /** The coordinates of the element. */
  coordinates: readonly {
    /** The name of the axis. */
    name: string;
    /** The coordinate as the element shows it, with its unit. */
    text: string;
  }[];
  /** The values, one for each channel that is drawn. */
  values: readonly ZarrViewValue[];
}

/** The events of the element, which bubble. */
export interface ZarrViewEventMap extends HTMLElementEventMap {
  /** The contents are there. */
  "zarr-load": CustomEvent<{ kind: string; title: string }>;
  /** The user has moved or changed something. */
  "zarr-view": CustomEvent<ZarrViewState>;
  /** The user has chosen a point. */
  "zarr-pick": CustomEvent<ZarrViewPick>;
  /** Something could not be read. */
  "zarr-error": CustomEvent<unknown>;
}

/** The element `<zarr-view>`, which shows a node of a data set in any page. */
export interface ZarrViewElement extends HTMLElement {
  /** A store instead of the address `src`, such as a folder that the user has dropped. */
  store: Readable | null;
  /** What is shown, as attributes. */
  readonly state: ZarrViewState;
  getAttribute(name: ZarrViewAttribute | (string & {})): string | null;
  setAttribute(name: ZarrViewAttribute | (string & {}), value: string): void;
  /** Adds a listener of an event, as `HTMLElement` does. */
  addEventListener<K extends keyof ZarrViewEventMap>(
    type: K,
    listener: (this: ZarrViewElement, event: ZarrViewEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
  /** Removes a listener of an event, as `HTMLElement` does. */
  removeEventListener<K extends keyof ZarrViewEventMap>(
    type: K,
    listener: (this: ZarrViewElement, event: ZarrViewEventMap[K]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions,
  ): void;
}

/** The class of the element. Pages that are rendered on a server import it there without effect. */
export const ZarrViewElement: { new (): ZarrViewElement; prototype: ZarrViewElement } = ZarrView;

declare global {
  interface HTMLElementTagNameMap {
    "zarr-view": ZarrViewElement;
  }
}
