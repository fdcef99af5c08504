/** Opens a data set, lets one node of it be chosen, shows that node, and keeps the page's address in step with what is shown. */

import { parseAddress } from "./address.js";
import { ContrastPanel } from "./contrast_panel.js";
import { type ArrayNode, type Dataset, type DatasetNode, openDataset } from "./dataset.js";
import { byId, element } from "./element.js";
import { explain, isAbort } from "./errors.js";
import { MessageView } from "./message_view.js";
import { readMultiscale } from "./multiscales.js";
import { nodePanel } from "./node_panel.js";
import { shapeText } from "./number_text.js";
import { SAMPLES } from "./opening/samples.js";
import { Picture } from "./picture.js";
import { isDrawable } from "./plane.js";
import { firstLevel, levelChoice, openPyramid, type PyramidLevel } from "./pyramid.js";
import { Sliders } from "./sliders.js";
import { StatusBar } from "./status_bar.js";
import { Toolbar } from "./toolbar.js";
import { Tree } from "./tree.js";
import { type UrlState, writeUrlState } from "./url_state.js";
import { showValues } from "./values_view.js";
import { Wire } from "./wire.js";

const LISTING = {
  consolidated: "",
  multiscales: "Listed from the picture pyramid's attributes; a web server cannot list other nodes.",
  none: "Nothing more is listed: a web server cannot list folders, and there is no consolidated metadata.",
};

/** Arrays that are looked at to choose the first one to show. */
const LOOKED_AT = 50;

/** Browsers refuse more than about a hundred changes of the address in half a minute. */
const ADDRESS_MS = 400;

export class Viewer {
  readonly #address = byId<HTMLInputElement>("address");
  readonly #values = byId("values");
  readonly #tree = new Tree(byId("tree"));
  readonly #message = new MessageView(byId("message"));
  readonly #wire = new Wire();
  readonly #status = new StatusBar(byId<HTMLProgressElement>("progress"), byId("counters"), this.#wire);
  readonly #toolbar: Toolbar;
  readonly #picture: Picture;

  #opening = new AbortController();
  #selecting = new AbortController();
  #url: URL | null = null;
  #dataset: Dataset | null = null;
  #levels: PyramidLevel[] = [];
  /** What the address of the page says beside the picture's own part. */
  #shown: UrlState = {};
  #drawn: ArrayNode | null = null;
  #addressTimer = 0;

  static async create(): Promise<Viewer> {
    const toolbar = new Toolbar(byId("toolbar"));
    const parts = {
      plane: byId("plane"),
      pointer: byId("pointer"),
      sliders: new Sliders(byId("sliders"), toolbar.axes),
      contrast: new ContrastPanel(byId("contrast")),
    };
    return new Viewer(toolbar, await Picture.create(parts));
  }

  private constructor(toolbar: Toolbar, picture: Picture) {
    this.#toolbar = toolbar;
    this.#picture = picture;
    this.#status.setDrawnBy(picture.drawnBy);
    this.#listenToPicture();
    this.#listenToForms();
    this.#tree.onSelect = (path) => this.#choose(path);
    this.#tree.describe = (path) => this.#describe(path);
    byId("demos").append(
      element("span", {}, "Samples"),
      ...SAMPLES.map(({ name, source }) =>
        element("button", { type: "button", onclick: () => this.open({ source }) }, name),
      ),
    );
  }

  /** Opens what a state names; the first demo when it names nothing. */
  async open(state: UrlState): Promise<void> {
    const source = state.source ?? SAMPLES[0]?.source ?? "";
    this.#opening.abort();
    this.#opening = new AbortController();
    const { signal } = this.#opening;
    this.#close(source);
    try {
      this.#url = parseAddress(source, document.baseURI);
      const dataset = await openDataset(this.#url, this.#wire, signal);
      signal.throwIfAborted();
      this.#dataset = dataset;
      this.#showHierarchy(dataset);
      await this.#select(state.path ?? (await firstPath(dataset)), state);
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) this.#fail(error);
    }
  }

  #close(source: string): void {
    this.#selecting.abort();
    this.#dataset = null;
    this.#url = null;
    this.#levels = [];
    this.#shown = { source };
    this.#address.value = source;
    this.#tree.clear();
    this.#toolbar.setLevels([], "");
    byId("listing").textContent = "";
    byId("path-form").hidden = true;
    byId("details").replaceChildren();
    this.#showPart("none");
    this.#message.say("Opening…");
    this.#status.busy();
  }

  #showHierarchy(dataset: Dataset): void {
    const name = dataset.url.pathname.split("/").filter(Boolean).at(-1) ?? dataset.url.host;
    document.title = `${decodeURIComponent(name)} · Zarr viewer`;
    this.#tree.show(decodeURIComponent(name), dataset.entries);
    byId("listing").textContent = dataset.root.kind === "array" ? "" : LISTING[dataset.listing];
    byId("path-form").hidden = dataset.listing === "consolidated" || dataset.root.kind === "array";
  }

  /** A node that a person picked; levels of the pyramid on show keep the place that is looked at. */
  async #choose(path: string): Promise<void> {
    try {
      await this.#select(path, {});
    } catch (error) {
      if (!isAbort(error)) this.#fail(error, path);
    }
  }

  async #select(path: string, wanted: UrlState): Promise<void> {
    const dataset = this.#dataset;
    if (!dataset) return;
    this.#selecting.abort();
    this.#selecting = new AbortController();
    const { signal } = this.#selecting;
    this.#status.busy();
    const node = await dataset.node(path);
    signal.throwIfAborted();
    this.#shown = { source: this.#shown.source ?? "", path };
    byId<HTMLInputElement>("path").value = path;
    byId("details").replaceChildren(...nodePanel(node, path));
    this.#tree.select(path);
    const sameLevels = this.#levels.some((level) => level.path === path) && this.#drawn !== null;
    if (!sameLevels) this.#levels = await this.#pyramidAround(dataset, path, node, signal);
    const stage = byId("plane").parentElement;
    const view = { width: stage?.clientWidth ?? 0, height: stage?.clientHeight ?? 0 };
    const shown = node.kind === "array" ? { path, array: node } : firstLevel(this.#levels, view);
    this.#toolbar.setLevels(levelChoice(this.#levels), shown?.path ?? "");
    await this.#show(shown?.array, sameLevels, wanted, signal);
  }

  /** The levels of the pyramid that a node is, or is a level of. */
  async #pyramidAround(
    dataset: Dataset,
    path: string,
    node: DatasetNode,
    signal: AbortSignal,
  ): Promise<PyramidLevel[]> {
    if (node.kind === "group") return openPyramid(node, signal);
    const segments = path.split("/");
    for (let depth = segments.length - 1; path !== "" && depth >= 0; depth--) {
      const above = segments.slice(0, depth).join("/");
      if (!dataset.entries.some((entry) => entry.path === above)) continue;
      const levels = await openPyramid(await dataset.node(above), signal, segments.at(-1));
      if (levels.some((level) => level.path === path)) return levels;
    }
    return [];
  }

  async #show(
    array: ArrayNode | undefined,
    sameLevels: boolean,
    wanted: UrlState,
    signal: AbortSignal,
  ): Promise<void> {
    this.#message.clear();
    const drawable = array !== undefined && isDrawable(array);
    this.#drawn = drawable ? array : null;
    this.#writeAddress();
    if (drawable) {
      this.#showPart("picture");
      if (sameLevels) this.#picture.showLevel(array);
      else this.#picture.show(array, wanted);
      return;
    }
    this.#showPart("none");
    if (array) {
      await showValues(this.#values, array, signal);
      this.#showPart("values");
    } else {
      this.#message.say("This is a group. Choose an array of the hierarchy to see it.");
    }
    this.#status.idle();
  }

  #showPart(part: "picture" | "values" | "none"): void {
    for (const id of ["toolbar", "controls", "plane"]) byId(id).hidden = part !== "picture";
    this.#values.hidden = part !== "values";
    if (part === "picture") return;
    byId("plane").setAttribute("aria-busy", "false");
    byId("pointer").hidden = true;
    this.#drawn = null;
  }

  #fail(error: unknown, path = this.#shown.path ?? ""): void {
    this.#status.idle();
    this.#message.fail(explain(error, this.#url && nodeUrl(this.#url, path)));
    byId("plane").setAttribute("aria-busy", "false");
    this.#writeAddress();
  }

  async #describe(path: string): Promise<string> {
    const node = await this.#dataset?.node(path);
    return node?.kind === "array" ? `${shapeText(node.shape)} ${node.dtype}` : "";
  }

  #listenToPicture(): void {
    this.#picture.onChange = () => this.#writeAddress();
    this.#picture.onProgress = (progress) => this.#status.show(progress);
    this.#picture.onError = (error) => this.#fail(error);
    this.#toolbar.onLevel = (path) => this.#choose(path);
    this.#toolbar.onZoom = (factor) => this.#picture.zoomBy(factor);
    this.#toolbar.onFit = () => this.#picture.fit();
  }

  #listenToForms(): void {
    byId("address-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.open({ source: this.#address.value });
    });
    byId("path-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#choose(byId<HTMLInputElement>("path").value.replace(/^\/+|\/+$/g, ""));
    });
  }

  #writeAddress(): void {
    clearTimeout(this.#addressTimer);
    this.#addressTimer = window.setTimeout(() => {
      const state = this.#drawn ? { ...this.#shown, ...this.#picture.state() } : this.#shown;
      history.replaceState(null, "", writeUrlState(state));
    }, ADDRESS_MS);
  }
}

function nodeUrl(root: URL, path: string): URL {
  const url = new URL(root);
  if (path !== "") url.pathname = `${url.pathname.replace(/\/$/, "")}/${path}`;
  return url;
}

/** What to show of a data set when nothing was asked for: a pyramid at the root, else the largest array with a plane, else the root. */
async function firstPath(dataset: Dataset): Promise<string> {
  const { root, entries, listing } = dataset;
  if (root.kind === "array" || listing !== "consolidated" || readMultiscale(root.attrs)) return "";
  if ((await openPyramid(root, new AbortController().signal)).length > 0) return "";
  const arrays = entries.filter((entry) => entry.kind === "array").slice(0, LOOKED_AT);
  const nodes = await Promise.allSettled(arrays.map(({ path }) => dataset.node(path)));
  let best = { path: "", elements: 0 };
  for (const [index, { path }] of arrays.entries()) {
    const outcome = nodes[index];
    if (outcome?.status !== "fulfilled" || outcome.value.kind !== "array" || !isDrawable(outcome.value))
      continue;
    const elements = outcome.value.shape.reduce((product, length) => product * length, 1);
    if (elements > best.elements) best = { path, elements };
  }
  return best.path;
}
