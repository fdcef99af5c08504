/**
 * `zarr-wasm/view`: defines the element `<zarr-view>` of the viewer (`www/src/app/embed`). This
 * file has its types; `scripts/embed.mjs` publishes it as one file with its code. `ol`, `lit-html`,
 * `proj4` and `d3-scale-chromatic` are the user's own.
 */
import { ZarrView } from "#view";
import type { Readable } from "../../engine/ts/model/types.ts";

/** The attributes of the element, which have the names and forms of the viewer's address. */
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
  name: string;
  text: string;
  value: unknown;
}

/** What lies at a point that the user has chosen. */
export interface ZarrViewPick {
  /** The point on the map. */
  place: readonly [x: number, y: number];
  index: readonly { name: string; index: number }[];
  coordinates: readonly { name: string; text: string }[];
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
