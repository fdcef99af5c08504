/**
 * A view of its own in an element: the scene of a node, or its plate, values or list of nodes, and
 * messages. `<zarr-view>` has one, and so has each picture beside the viewer's. It opens no
 * addresses: its caller says how the data set of a state is opened.
 */

import { html, render } from "lit-html";
import { readShown, type Shown } from "../../model/opening/content.js";
import { type Dataset, firstPath } from "../../model/opening/dataset.js";
import type { UrlState } from "../../model/state/url_state.js";
import { explain, isAbort, warningText } from "../../model/text/errors.js";
import { showChoices } from "../panels/choices.js";
import { Messages } from "../panels/messages.js";
import { PlateGrid } from "../panels/plate_grid.js";
import { showValues } from "../panels/values.js";
import { SceneView } from "./scene_view.js";

const FRAME = html`<div class="views"><div class="stage">
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

/** The element that shows each kind of contents. */
const PLACES = { scene: ".map", values: ".values", plate: ".plate-view", choices: ".choices" } as const;

const ADVICE = "Name a node by the attribute path to show it.";

/** Opens the data set of a state. `own` is the one that is open. */
export type DatasetOf = (own: Dataset | null, signal: AbortSignal) => Promise<Dataset>;

/** Opens a data set, and tells the state of the node in it. */
export type NodeOf = (
  own: Dataset | null,
  signal: AbortSignal,
) => Promise<{ dataset: Dataset; state: UrlState }>;

export class Contents {
  onChange: () => void = () => {};
  onError: (error: unknown) => void = () => {};
  /** The user has chosen another node. */
  onPath: (path: string) => void = () => {};

  /** What is opened, for messages. */
  url: URL | null = null;
  readonly view: SceneView;
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
    this.view = new SceneView({
      map: this.#find(".map"),
      dimensions: this.#find(".dimensions"),
      zoom: this.#find(".zoom"),
      legend: this.#find(".legend"),
      readout: this.#find(".readout"),
    });
    this.view.onChange = () => this.onChange();
    this.view.onError = (error) => this.fail(error);
    this.view.picture.onProgress = ({ done, wanted }) => {
      this.view.setBusy(done < wanted);
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
  async open(state: UrlState, datasetOf: DatasetOf): Promise<Shown | null> {
    const shown = await this.read(async (own, signal) => ({ dataset: await datasetOf(own, signal), state }));
    if (shown) this.show(shown, state);
    return shown;
  }

  /** Reads what is shown of a node, without showing it. Null as for `open`. */
  async read(nodeOf: NodeOf): Promise<Shown | null> {
    this.#opening.abort();
    this.#opening = new AbortController();
    const { signal } = this.#opening;
    try {
      const { dataset, state } = await nodeOf(this.#dataset, signal);
      const path = state.path ?? (await firstPath(dataset, signal));
      const shown = await readShown(dataset, await dataset.node(path), { ...state, path }, signal);
      signal.throwIfAborted();
      return shown;
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) this.fail(error);
      return null;
    }
  }

  /** Shows what has been read of a node. */
  show(shown: Shown, state: UrlState): void {
    const isSame = this.#dataset === shown.dataset;
    this.#dataset = shown.dataset;
    this.#messages.clear();
    const signal = this.view.leave();
    const isScene = shown.kind === "scene";
    for (const [kind, place] of Object.entries(PLACES)) this.#find(place).hidden = kind !== shown.kind;
    this.#find(".zoom").hidden = !isScene;
    this.#find(".stage").dataset.kind = isScene ? shown.scene.kind : shown.kind;
    if (isScene) this.view.show(shown.scene, state, { isSame });
    else this.view.clear();
    if (shown.kind === "values") showValues(this.#find(".values"), shown.values);
    if (shown.kind === "plate") this.#plates.show(shown, signal);
    if (shown.kind === "choices") {
      const select = (path: string) => this.onPath(path);
      showChoices(this.#find(".choices"), shown.nodes, { select, advice: ADVICE });
    }
    if (shown.kind === "failed") this.fail(shown.error);
  }

  fail(error: unknown): void {
    this.#messages.fail(explain(error, this.url));
    this.onError(error);
  }

  /** Ends all reads, and gives the memory of the picture back. */
  close(): void {
    this.#opening.abort();
    this.view.leave();
    this.view.clear();
    this.#dataset = null;
  }
}
