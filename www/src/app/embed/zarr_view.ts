/**
 * `<zarr-view>`: a custom element that shows a node of a data set in any page. Its attributes have
 * the names and forms of the viewer's address. It has a shadow root, so it changes no style of the
 * page, and no style of the page changes it.
 */

import { preload, type Readable } from "zarr-wasm";
import { marksLayer } from "../../map/mark_shapes.js";
import type { Content } from "../../model/opening/content.js";
import { readMarks } from "../../model/state/marks.js";
import { readUrlState, writeUrlState } from "../../model/state/url_state.js";
import { explain } from "../../model/text/errors.js";
import { plainPath } from "../../model/text/paths.js";
import { Linked } from "../../tools/linked/linked.js";
import { Messages } from "../../widgets/panels/messages.js";
import { ContentView } from "../../widgets/views/content_view.js";
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
 * - `zarr-load`: the content is there; `detail` is `{ kind, title }`.
 * - `zarr-view`: the user has moved or changed something; `detail` is the new `state`.
 * - `zarr-pick`: the user has chosen a point; `detail` has its `place`, `index`, `coordinates` and
 *   `values`.
 * - `zarr-error`: something could not be read; `detail` is the error.
 */
export class ZarrView extends Base {
  static readonly observedAttributes = [...OF_NODE, ...OF_VIEW, ...OF_PLOTS, ...OF_LINKED];

  #view: ContentView | null = null;
  /** The views beside the picture. */
  #linked: Linked | null = null;
  /** Null until the attribute `plot` is set. */
  #plots: ElementPlots | null = null;
  #content: Content | null = null;
  #store: Readable | null = null;
  /** The names of attributes that have changed since the last update. */
  readonly #changed = new Set<string>();
  #frame = 0;

  /** A store instead of the address `src`, such as a folder that the user has dropped. */
  get store(): Readable | null {
    return this.#store;
  }

  set store(store: Readable | null) {
    this.#store = store;
    this.#update("src");
  }

  /** What is shown, as attributes: set them, and the same is shown. */
  get state(): Record<string, string> {
    const state = this.#view?.sceneView.state() ?? {};
    const path = this.getAttribute("path") ?? undefined;
    const marks = readMarks(this.getAttribute("marks") ?? "");
    const own = this.#plots?.state() ?? { marks: marks.length > 0 ? marks : undefined };
    const query = new URLSearchParams(writeUrlState({ ...state, path, ...own, ...this.#linked?.state() }));
    const src = this.getAttribute("src");
    return { ...(src !== null && { src }), ...Object.fromEntries(query) };
  }

  connectedCallback(): void {
    // Pictures need the engine, so it starts beside the first requests.
    preload({ conventions: true }).catch(() => {});
    this.#update("src");
  }

  disconnectedCallback(): void {
    // An element that is only moved is there again at once.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#linked?.close();
      this.#view?.close();
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
    const view = this.#inside();
    if (!view) return;
    if (this.hasAttribute("plot")) this.#plots ??= this.#makePlots(view);
    view.sceneView.picture.setOverlay(this.#plots ? null : marksLayer(state.marks ?? []));
    if (changed.some((name) => OF_NODE.includes(name))) void this.#open(view, state);
    else {
      view.sceneView.apply(state);
      if (changed.some((name) => OF_PLOTS.includes(name))) this.#plots?.mark(state);
      if (this.#content && changed.some((name) => OF_LINKED.includes(name)))
        this.#linked?.show(this.#content, state);
    }
  }

  #makePlots(view: ContentView): ElementPlots {
    const inside = this.shadowRoot?.querySelector(".inside") as HTMLElement;
    return new ElementPlots(view, inside, this.#content, {
      changed: () => this.#tellView(),
      fail: (error) => view.fail(error),
      isClickTaken: () => this.#linked?.takesClicks === true,
    });
  }

  #makeLinked({ sceneView }: ContentView, inside: HTMLElement): Linked {
    const part = (name: string) => inside.querySelector(name) as HTMLElement;
    return new Linked(sceneView, {
      elements: { views: part(".views"), map: part(".map"), dimensions: part(".dimensions") },
      questions: refusals,
      panelOf: () => null,
      changed: () => this.#tellView(),
      leave: () => {},
      fail: (error) => this.#view?.fail(error),
      isDrawing: () => this.#plots?.isDrawing === true,
    });
  }

  async #open(view: ContentView, state: ReturnType<typeof readUrlState>): Promise<void> {
    const path = state.path === undefined ? undefined : plainPath(state.path);
    const content = await view.open({ ...state, path }, datasetOf(view, state.source ?? "", this.#store));
    if (!content) return;
    this.#content = content;
    this.#plots?.show(content, state);
    this.#linked?.show(content, state);
    if (content.kind === "scene") await view.sceneView.picture.idle();
    this.#tell("zarr-load", { kind: content.kind, title: content.title });
  }

  /** The view, which is made at its first use. Null if the browser cannot draw. */
  #inside(): ContentView | null {
    if (this.#view) return this.#view;
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [styleSheet()];
    const inside = document.createElement("div");
    inside.className = "inside";
    root.replaceChildren(inside);
    try {
      this.#view = new ContentView(inside);
    } catch (error) {
      new Messages(inside).fail(explain(error, null));
      this.#tell("zarr-error", error);
      return null;
    }
    this.#linked = this.#makeLinked(this.#view, inside);
    new ResizeObserver(([entry]) => {
      inside.classList.toggle("small", (entry?.contentRect.width ?? 0) < NARROW);
    }).observe(inside);
    this.#listenTo(this.#view);
    return this.#view;
  }

  #listenTo(view: ContentView): void {
    view.onChange = () => {
      this.#plots?.update();
      this.#linked?.update();
      this.#tellView();
    };
    view.onError = (error) => this.#tell("zarr-error", error);
    view.onPath = (path) => this.setAttribute("path", path);
    view.sceneView.picture.onPick = (reading) => this.#tell("zarr-pick", reading);
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
