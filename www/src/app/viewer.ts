/**
 * The viewer: opens a data set, selects a node and passes its content to the view. The previous
 * content stays until the next node has been read. It updates the page's URL.
 */

import { type Content, readContent } from "../model/opening/content.js";
import { type Dataset, firstPath, openDataset } from "../model/opening/dataset.js";
import { takeEarly } from "../model/opening/early_dataset.js";
import { rememberSource } from "../model/opening/recent.js";
import { FIRST_SAMPLE } from "../model/opening/samples.js";
import { isLocal, type Source, sourceOf } from "../model/opening/source.js";
import { withAsset } from "../model/opening/stac.js";
import { roleOf } from "../model/scene/ome.js";
import type { UrlState } from "../model/state/url_state.js";
import { explain, isAbort, warningText } from "../model/text/errors.js";
import { shapeText } from "../model/text/numbers.js";
import { plainPath } from "../model/text/paths.js";
import { COLOURINGS } from "../tools/insight/colouring.js";
import { Insight } from "../tools/insight/insight.js";
import { ShareMenu } from "../tools/share/share_menu.js";
import { byId } from "../widgets/page/element.js";
import { Layout } from "../widgets/page/layout.js";
import { askForAsset } from "../widgets/panels/asset_question.js";
import { askForHosts } from "../widgets/panels/host_question.js";
import { Messages } from "../widgets/panels/messages.js";
import { showDetails } from "../widgets/panels/node_details.js";
import { OpenMenu } from "../widgets/panels/open_menu.js";
import { Status } from "../widgets/panels/status.js";
import { Tree } from "../widgets/panels/tree.js";
import type { ViewSnapshot } from "../widgets/views/view_snapshot.js";
import { MainView } from "./main_view.js";
import { PageHistory } from "./page_history.js";

export class Viewer {
  readonly #address = byId<HTMLInputElement>("address");
  readonly #tree = new Tree(byId("tree"));
  readonly #layout = new Layout();
  readonly #messages = new Messages(byId("messages"));
  readonly #status = new Status();
  readonly #view = new MainView(this.#status);
  readonly #history = new PageHistory(() => this.#state());
  readonly #menu = new OpenMenu();
  readonly #insight = new Insight({
    snapshot: () => this.#snapshot(),
    warnings: () => this.#dataset?.warnings ?? [],
    setOverlay: (layer) => this.#view.setOverlay(layer),
    isWaiting: () => this.#status.isWaiting,
    onChange: () => this.#history.changed(),
    onError: (error) => this.#fail(error, null),
  });

  #opening = new AbortController();
  #dataset: Dataset | null = null;
  #path = "";

  constructor() {
    // An entry without marks has none, although marks stay when another node is chosen.
    this.#history.onMove = (state) => this.open({ ...state, marks: state.marks ?? [] }, false);
    this.#view.onChange = () => {
      this.#history.changed();
      this.#insight.changed();
    };
    this.#layout.onChange = () => {
      this.#history.changed();
      if (this.#layout.isOpen("insight")) this.#insight.open();
    };
    this.#view.onLeave = () => this.#history.leave();
    this.#view.onPath = (path) => void this.#choose({ path });
    this.#view.onVariable = (variable) => void this.#choose({ path: this.#path, variable });
    this.#view.onStored = (isStored) => this.#showStored(isStored);
    this.#view.onWarnings = () => this.#warn();
    this.#view.onError = (error) => this.#fail(error, this.#dataset?.source ?? null, this.#path);
    this.#tree.onSelect = (path) => void this.#choose({ path });
    this.#menu.onAddress = (source) => void this.open({ source }, true);
    this.#menu.onSource = (source) => void this.open({ source: source.key }, true);
    this.#menu.onError = (error) => this.#fail(error, null);
    this.#listenToForms();
    new ShareMenu({
      snapshot: () => this.#snapshot(),
      settle: () => this.#history.settle(),
      note: (text) => this.#messages.note(text),
      fail: (error) => this.#fail(error, null),
    });
  }

  /** Opens what the page's URL says, with the panels that were open. */
  start(state: UrlState): Promise<void> {
    const { panels, structure } = state;
    if (panels) this.#layout.restore(panels);
    if (this.#layout.isOpen("insight")) this.#insight.open();
    const colouring = COLOURINGS.find((each) => each === structure);
    if (colouring) this.#insight.restore(colouring);
    return this.open(state, false);
  }

  /**
   * Opens the node of a state; the first sample if the state is empty. `leaves` adds an entry for
   * the previous content to the history.
   */
  async open(wanted: UrlState, leaves: boolean): Promise<void> {
    let state = { ...wanted, source: wanted.source ?? FIRST_SAMPLE };
    this.#showAddress(state.source);
    const signal = this.#begin("Opening");
    let source: Source | null = null;
    try {
      state = await withAsset(state, { base: document.baseURI, ask: askForAsset, signal });
      const key = state.source;
      this.#showAddress(key);
      // A new choice of the same file of this computer has the same key.
      const own = this.#dataset;
      const isOpen = own?.source.key === key && !isLocal(key);
      const early = takeEarly(key, signal);
      source = isOpen
        ? own.source
        : await (early?.source ?? sourceOf(key, { base: document.baseURI, ask: askForHosts, signal }));
      signal.throwIfAborted();
      const dataset = own?.source === source ? own : await (early?.dataset ?? openDataset(source, signal));
      signal.throwIfAborted();
      const path = state.path ?? (await firstPath(dataset, signal));
      await this.#show(dataset, { ...state, path }, signal, leaves);
      if (source.url && leaves) rememberSource(key);
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) this.#fail(error, source, state.path);
    }
  }

  #showAddress(key: string): void {
    this.#address.value = isLocal(key) ? "" : key;
  }

  /** Opens a node that the user selected. */
  async #choose(state: UrlState & { path: string }): Promise<void> {
    const dataset = this.#dataset;
    if (!dataset) return;
    const signal = this.#begin("Reading");
    try {
      await this.#show(dataset, { ...this.#view.linked(), ...state }, signal, true);
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) this.#fail(error, dataset.source, state.path);
    }
  }

  /** Shows the node with its values as they are stored, or unpacked, at the same position. */
  #showStored(isStored: boolean): void {
    const { variable, plane, at, view, layers } = this.#view.state();
    const values = isStored ? ("stored" as const) : undefined;
    void this.#choose({ path: this.#path, variable, plane, at, view, layers, values });
  }

  /** Aborts opening. */
  #begin(text: string): AbortSignal {
    this.#opening.abort();
    this.#opening = new AbortController();
    this.#status.busy(text);
    return this.#opening.signal;
  }

  async #show(
    dataset: Dataset,
    wanted: UrlState & { path: string },
    signal: AbortSignal,
    leaves: boolean,
  ): Promise<void> {
    const node = await dataset.node(wanted.path);
    signal.throwIfAborted();
    const content = await readContent(dataset, node, wanted, signal);
    signal.throwIfAborted();
    if (leaves && this.#dataset) this.#history.leave();
    if (dataset !== this.#dataset) this.#showHierarchy(dataset);
    this.#path = wanted.path;
    this.#messages.clear();
    this.#status.idle();
    showDetails(byId("details"), node, wanted.path);
    byId<HTMLInputElement>("path").value = wanted.path;
    document.title = `${content.title || dataset.source.name} · Zarr viewer`;
    this.#view.show(content, wanted);
    this.#suggestPanels();
    await this.#tree.select(wanted.path);
    if (content.kind === "scene") this.#tree.add(labelsOf(content));
    this.#warn();
    this.#history.changed();
  }

  #showHierarchy(dataset: Dataset): void {
    this.#dataset = dataset;
    const { root, all, source } = dataset;
    const role = root.kind === "group" ? roleOf(root.attrs) : undefined;
    this.#tree.show({
      name: source.name,
      root: { path: "", kind: root.kind, role },
      all,
      children: (path) => dataset.children(path),
      describe: (path) => describe(dataset, path),
    });
    byId("path-form").hidden = all !== null || root.kind === "array";
  }

  /** A single image is the whole hierarchy; variables are listed for selection. */
  #suggestPanels(): void {
    const root = this.#dataset?.root;
    this.#layout.suggest("data", root?.kind === "group" && roleOf(root.attrs) !== "image");
  }

  #fail(error: unknown, source: Source | null, path = ""): void {
    this.#status.idle();
    this.#messages.fail(explain(error, source?.url ? nodeUrl(source.url, path) : null));
  }

  /** Shows warnings that appear during reads, such as a server that ignores ranges. */
  #warn(): void {
    for (const warning of this.#dataset?.warnings ?? []) this.#messages.note(warningText(warning));
  }

  #state(): UrlState {
    if (!this.#dataset) return {};
    return {
      source: this.#dataset.source.key,
      path: this.#path,
      ...this.#view.state(),
      structure: this.#insight.colouring ?? undefined,
      panels: this.#layout.state(),
    };
  }

  #snapshot(): ViewSnapshot | null {
    const [dataset, snapshot] = [this.#dataset, this.#view.snapshot()];
    if (!dataset || !snapshot) return null;
    return { ...snapshot, source: dataset.source, isConsolidated: dataset.all !== null };
  }

  #listenToForms(): void {
    byId("address-form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.open({ source: this.#address.value }, true);
    });
    byId("path-form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#choose({ path: plainPath(byId<HTMLInputElement>("path").value) });
    });
  }
}

async function describe(dataset: Dataset, path: string): Promise<string> {
  // Only without a request, because a long list has many rows.
  if (!dataset.all) return "";
  const node = await dataset.node(path);
  return node.kind === "array" ? `${shapeText(node.shape)} ${node.dtype}` : "";
}

const labelsOf = ({ scene, path }: Content & { kind: "scene" }) =>
  scene.labels.map((label) => ({
    path: plainPath(label.path) || path,
    kind: "group" as const,
    role: "label" as const,
  }));

function nodeUrl(root: URL, path: string): URL {
  const url = new URL(root);
  if (path !== "") url.pathname = `${url.pathname.replace(/\/$/, "")}/${path}`;
  return url;
}
