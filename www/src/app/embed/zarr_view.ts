/**
 * `<zarr-view>`: a custom element that shows a node of a data set in any page. Its attributes have
 * the names and forms of the viewer's address. It has a shadow root, so it changes no style of the
 * page, and no style of the page changes it.
 */

import type { Readable } from "zarr-wasm";
import { shownMarks } from "../../map/mark_shapes.js";
import type { Shown } from "../../model/opening/content.js";
import { readMarks } from "../../model/state/marks.js";
import { readUrlState, writeUrlState } from "../../model/state/url_state.js";
import { explain } from "../../model/text/errors.js";
import { plainPath } from "../../model/text/paths.js";
import { Linked } from "../../tools/linked/linked.js";
import { Messages } from "../../widgets/panels/messages.js";
import { Contents } from "../../widgets/views/content_view.js";
import { ElementPlots } from "./element_plots.js";
import { datasetOf, refusals } from "./opening.js";
import { styleSheet } from "./style.js";

/** Attributes whose change opens another node, and those that change how it is shown. */
const OF_NODE = ["src", "path", "variable", "plane", "values"];
const OF_PLOTS = ["marks", "plot"];
const OF_LINKED = ["planes", "compare", "with"];
const OF_VIEW = ["at", "view", "level", "channels", "colours", "limits", "labels", "layers"];

/** Below this width, in CSS pixels, parts are below each other. */
const NARROW = 544;

/** A server that renders pages has no elements, and may import this file nevertheless. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/**
 * Events, which bubble:
 *
 * - `zarr-load`: the contents are there; `detail` is `{ kind, title }`.
 * - `zarr-view`: the user has moved or changed something; `detail` is the new `state`.
 * - `zarr-pick`: the user has chosen a place; `detail` has its `place`, `index`, `coordinates` and
 *   `values`.
 * - `zarr-error`: something could not be read; `detail` is the error.
 */
export class ZarrView extends Base {
  static readonly observedAttributes = [...OF_NODE, ...OF_VIEW, ...OF_PLOTS, ...OF_LINKED];

  #contents: Contents | null = null;
  /** The views beside the picture. */
  #linked: Linked | null = null;
  /** Null until the attribute `plot` is set. */
  #plots: ElementPlots | null = null;
  #shown: Shown | null = null;
  #store: Readable | null = null;
  /** The names of attributes that have changed since the last update. */
  readonly #changed = new Set<string>();
  #frame = 0;

  /** A store in the place of the address `src`, such as a folder that the user has dropped. */
  get store(): Readable | null {
    return this.#store;
  }

  set store(store: Readable | null) {
    this.#store = store;
    this.#update("src");
  }

  /** What is shown, as attributes: set them, and the same is shown. */
  get state(): Record<string, string> {
    const shown = this.#contents?.view.state() ?? {};
    const path = this.getAttribute("path") ?? undefined;
    const marks = readMarks(this.getAttribute("marks") ?? "");
    const own = this.#plots?.state() ?? { marks: marks.length > 0 ? marks : undefined };
    const query = new URLSearchParams(writeUrlState({ ...shown, path, ...own, ...this.#linked?.state() }));
    const src = this.getAttribute("src");
    return { ...(src !== null && { src }), ...Object.fromEntries(query) };
  }

  connectedCallback(): void {
    this.#update("src");
  }

  disconnectedCallback(): void {
    // An element that is only moved is there again at once.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#linked?.close();
      this.#contents?.close();
    });
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before !== now) this.#update(name);
  }

  /** Shows the attributes, once for all that change in a task. */
  #update(name: string): void {
    if (this.#changed.size === 0) {
      queueMicrotask(() => {
        const names = [...this.#changed];
        this.#changed.clear();
        if (this.isConnected) this.#show(names);
      });
    }
    this.#changed.add(name);
  }

  #show(changed: readonly string[]): void {
    const { src, ...others } = Object.fromEntries(
      [...this.attributes]
        .filter(({ name }) => ZarrView.observedAttributes.includes(name))
        .map(({ name, value }) => [name, value]),
    );
    if (src === undefined && !this.#store) return;
    const query = new URLSearchParams({ ...others, ...(src !== undefined && { source: src }) });
    const state = readUrlState(query.toString());
    const contents = this.#inside();
    if (!contents) return;
    if (this.hasAttribute("plot")) this.#plots ??= this.#makePlots(contents);
    contents.view.picture.setOverlay(this.#plots ? null : shownMarks(state.marks ?? []));
    if (changed.some((name) => OF_NODE.includes(name))) void this.#open(contents, state);
    else {
      contents.view.apply(state);
      if (changed.some((name) => OF_PLOTS.includes(name))) this.#plots?.mark(state);
      if (this.#shown && changed.some((name) => OF_LINKED.includes(name)))
        this.#linked?.show(this.#shown, state);
    }
  }

  #makePlots(contents: Contents): ElementPlots {
    const inside = this.shadowRoot?.querySelector(".inside") as HTMLElement;
    return new ElementPlots(contents, inside, this.#shown, {
      changed: () => this.#tellView(),
      fail: (error) => contents.fail(error),
      isClickTaken: () => this.#linked?.takesClicks === true,
    });
  }

  #makeLinked({ view }: Contents, inside: HTMLElement): Linked {
    const part = (name: string) => inside.querySelector(name) as HTMLElement;
    return new Linked(view, {
      places: { views: part(".views"), map: part(".map"), dimensions: part(".dimensions") },
      questions: refusals,
      panelOf: () => null,
      changed: () => this.#tellView(),
      leave: () => {},
      fail: (error) => this.#contents?.fail(error),
      isDrawing: () => this.#plots?.isDrawing === true,
    });
  }

  async #open(contents: Contents, state: ReturnType<typeof readUrlState>): Promise<void> {
    const path = state.path === undefined ? undefined : plainPath(state.path);
    const shown = await contents.open(
      { ...state, path },
      datasetOf(contents, state.source ?? "", this.#store),
    );
    if (!shown) return;
    this.#shown = shown;
    this.#plots?.show(shown, state);
    this.#linked?.show(shown, state);
    if (shown.kind === "scene") await contents.view.picture.idle();
    this.#tell("zarr-load", { kind: shown.kind, title: shown.title });
  }

  /** The contents, which are made at their first use. Null if the browser cannot draw. */
  #inside(): Contents | null {
    if (this.#contents) return this.#contents;
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [styleSheet()];
    const place = document.createElement("div");
    place.className = "inside";
    root.replaceChildren(place);
    try {
      this.#contents = new Contents(place);
    } catch (error) {
      new Messages(place).fail(explain(error, null));
      this.#tell("zarr-error", error);
      return null;
    }
    this.#linked = this.#makeLinked(this.#contents, place);
    new ResizeObserver(([entry]) => {
      place.classList.toggle("small", (entry?.contentRect.width ?? 0) < NARROW);
    }).observe(place);
    this.#listenTo(this.#contents);
    return this.#contents;
  }

  #listenTo(contents: Contents): void {
    contents.onChange = () => {
      this.#plots?.update();
      this.#linked?.update();
      this.#tellView();
    };
    contents.onError = (error) => this.#tell("zarr-error", error);
    contents.onPath = (path) => this.setAttribute("path", path);
    contents.view.picture.onPick = (reading) => this.#tell("zarr-pick", reading);
  }

  /** Tells changes once in a frame. */
  #tellView(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      if (this.isConnected) this.#tell("zarr-view", this.state);
    });
  }

  #tell(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}
