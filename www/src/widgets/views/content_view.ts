/**
 * The view of any content in an element of its own: the scene of a node, or its plate, values or
 * list of nodes, and messages. `<zarr-view>` has one, and so has each picture beside the viewer's.
 * It opens no addresses: its caller says how the data set of a state is opened.
 */

import { html, render } from "lit-html";
import { type Content, readContent } from "../../model/opening/content.js";
import { type Dataset, firstPath } from "../../model/opening/dataset.js";
import type { UrlState } from "../../model/state/url_state.js";
import { explain, isAbort, warningText } from "../../model/text/errors.js";
import { showChoices } from "../panels/choices.js";
import { Messages } from "../panels/messages.js";
import { PlateGrid } from "../panels/plate_grid.js";
import { showValues } from "../panels/values.js";
import { SceneView } from "./scene_view.js";

const FRAME = html`<div class="views"><div class="content-view">
    <div
      class="map"
      role="application"
      aria-roledescription="picture"
      aria-label="Picture. Arrow keys pan, plus and minus zoom, 0 shows all, Enter reads the middle."
      aria-busy="true"
    ></div>
    <section class="values" aria-label="Values" tabindex="0" hidden></section>
    <section class="plate-view" aria-label="Plate" hidden></section>
    <section class="choices" aria-label="What is in this group" hidden></section>
    <fieldset class="zoom" aria-label="Zoom" hidden></fieldset>
    <div class="corner">
      <output class="readout" aria-live="off" aria-label="Values under the pointer" hidden></output>
      <div class="legend" hidden></div>
    </div>
    <div class="messages"></div>
  </div></div>
  <fieldset class="dimensions" aria-label="Dimensions" hidden></fieldset>`;

/** The element that shows each kind of content. */
const SELECTORS = { scene: ".map", values: ".values", plate: ".plate-view", choices: ".choices" } as const;

const ADVICE = "Name a node by the attribute path to show it.";

/** Opens the data set of a state. `own` is the one that is open. */
export type DatasetOf = (own: Dataset | null, signal: AbortSignal) => Promise<Dataset>;

/** Opens a data set, and tells the state of the node in it. */
export type NodeOf = (
  own: Dataset | null,
  signal: AbortSignal,
) => Promise<{ dataset: Dataset; state: UrlState }>;

export class ContentView {
  onChange: () => void = () => {};
  onError: (error: unknown) => void = () => {};
  /** The user has chosen another node. */
  onPath: (path: string) => void = () => {};

  /** What is opened, for messages. */
  url: URL | null = null;
  readonly sceneView: SceneView;
  readonly #root: ParentNode;
  readonly #messages: Messages;
  readonly #plates: PlateGrid;
  #dataset: Dataset | null = null;
  #opening = new AbortController();

  /** Throws an error for the user if the browser cannot draw. */
  constructor(root: HTMLElement) {
    render(FRAME, root);
    this.#root = root;
    this.#messages = new Messages(this.#find(".messages"));
    this.#plates = new PlateGrid(this.#find(".plate-view"), (path) => this.onPath(path));
    this.sceneView = new SceneView({
      map: this.#find(".map"),
      dimensions: this.#find(".dimensions"),
      zoom: this.#find(".zoom"),
      legend: this.#find(".legend"),
      readout: this.#find(".readout"),
    });
    this.sceneView.onChange = () => this.onChange();
    this.sceneView.onError = (error) => this.fail(error);
    this.sceneView.picture.onProgress = ({ done, wanted }) => {
      this.sceneView.setBusy(done < wanted);
      for (const warning of this.#dataset?.warnings ?? []) this.#messages.note(warningText(warning));
    };
  }

  #find<T extends HTMLElement = HTMLElement>(selector: string): T {
    return this.#root.querySelector(selector) as T;
  }

  /**
   * Opens the node of a state, and resolves when it is shown: to null if another one was opened
   * meanwhile, or if it failed.
   */
  async open(state: UrlState, datasetOf: DatasetOf): Promise<Content | null> {
    const content = await this.read(async (own, signal) => ({
      dataset: await datasetOf(own, signal),
      state,
    }));
    if (content) this.show(content, state);
    return content;
  }

  /** Reads what is shown of a node, without showing it. Null as for `open`. */
  async read(nodeOf: NodeOf): Promise<Content | null> {
    this.#opening.abort();
    this.#opening = new AbortController();
    const { signal } = this.#opening;
    try {
      const { dataset, state } = await nodeOf(this.#dataset, signal);
      const path = state.path ?? (await firstPath(dataset, signal));
      const content = await readContent(dataset, await dataset.node(path), { ...state, path }, signal);
      signal.throwIfAborted();
      return content;
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) this.fail(error);
      return null;
    }
  }

  /** Shows what has been read of a node. */
  show(content: Content, state: UrlState): void {
    const isSame = this.#dataset === content.dataset;
    this.#dataset = content.dataset;
    this.#messages.clear();
    const signal = this.sceneView.leave();
    const isScene = content.kind === "scene";
    for (const [kind, selector] of Object.entries(SELECTORS))
      this.#find(selector).hidden = kind !== content.kind;
    this.#find(".zoom").hidden = !isScene;
    this.#find(".content-view").dataset.kind = isScene ? content.scene.kind : content.kind;
    if (isScene) this.sceneView.show(content.scene, state, { isSame });
    else this.sceneView.clear();
    if (content.kind === "values") showValues(this.#find(".values"), content.values);
    if (content.kind === "plate") this.#plates.show(content, signal);
    if (content.kind === "choices") {
      const select = (path: string) => this.onPath(path);
      showChoices(this.#find(".choices"), content.nodes, { select, advice: ADVICE });
    }
    if (content.kind === "failed") this.fail(content.error);
  }

  fail(error: unknown): void {
    this.#messages.fail(explain(error, this.url));
    this.onError(error);
  }

  /** Ends all reads, and gives the memory of the picture back. */
  close(): void {
    this.#opening.abort();
    this.sceneView.leave();
    this.sceneView.clear();
    this.#dataset = null;
  }
}
