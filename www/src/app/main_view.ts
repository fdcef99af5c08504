/**
 * The view of the page: the scene with its panels, and plates, lists and texts that are shown
 * instead of a picture. It passes changes in the panels to the scene.
 */

import type { Picture } from "../map/picture.js";
import type { Content } from "../model/opening/content.js";
import type { Plane, Scene } from "../model/scene/scene.js";
import { isSamePlane } from "../model/scene/scene_state.js";
import type { UrlState } from "../model/state/url_state.js";
import { ComparePanel } from "../tools/linked/compare_panel.js";
import { Linked } from "../tools/linked/linked.js";
import { LinkedButtons } from "../tools/linked/linked_buttons.js";
import { Plots } from "../tools/plots/plots_state.js";
import { byId } from "../widgets/page/element.js";
import { askForAsset } from "../widgets/panels/asset_question.js";
import { showChoices } from "../widgets/panels/choices.js";
import { Colours } from "../widgets/panels/colours.js";
import { askForHosts } from "../widgets/panels/host_question.js";
import { Layers } from "../widgets/panels/layers.js";
import { PlateGrid } from "../widgets/panels/plate_grid.js";
import type { Status } from "../widgets/panels/status.js";
import { showTitle } from "../widgets/panels/title.js";
import { showValues } from "../widgets/panels/values.js";
import { ViewOptions } from "../widgets/panels/view_options.js";
import { SceneView } from "../widgets/views/scene_view.js";
import type { ViewSnapshot } from "../widgets/views/view_snapshot.js";

const PARTS = ["map", "values", "plate", "choices"] as const;

const plotElements = () => ({ panel: byId("plots"), target: byId("map"), toggle: byId("switch-plots") });

export class MainView {
  /** The content has changed. */
  onChange: () => void = () => {};
  /** What is shown beside the picture is about to change. */
  onLeave: () => void = () => {};
  onPath: (path: string) => void = () => {};
  onVariable: (variable: string) => void = () => {};
  /** Values are to be shown as they are stored, or unpacked. */
  onStored: (isStored: boolean) => void = () => {};
  /** Something was read, so there may be new warnings. */
  onWarnings: () => void = () => {};
  onError: (error: unknown) => void = () => {};

  readonly #status: Status;
  readonly #view = new SceneView({
    map: byId("map"),
    dimensions: byId("dimensions"),
    zoom: byId("zoom"),
    legend: byId("legend"),
    readout: byId("readout"),
  });
  readonly #colours = new Colours(
    {
      channelsSection: byId("channels-section"),
      channels: byId("channels"),
      fieldSection: byId("field-section"),
      field: byId("field-style"),
    },
    this.#view,
  );
  readonly #layers = new Layers(byId("layers"), byId("layers-section"), {
    setLabels: (labels) => {
      const visible = labels.filter((label) => label.visible);
      const opacities = Object.fromEntries(visible.map(({ path, opacity }) => [path, opacity]));
      this.#view.restyle({ labels }, { labels: opacities });
    },
    setLines: (lines) => this.#view.setLines(lines),
  });
  readonly #options = new ViewOptions(byId("view"), {
    setPlane: (plane) => void this.#setPlane(plane).catch((error) => this.onError(error)),
    setLevel: (level) => this.#view.setLevel(level),
  });
  readonly #plots = new Plots(this.#view.picture, plotElements(), {
    changed: () => this.onChange(),
    setIndex: (name, index) => this.#view.choose(name, index),
    fail: (error) => this.onError(error),
    isClickTaken: () => this.#linked.takesClicks,
  });
  readonly #linked = new Linked(this.#view, {
    elements: { views: byId("views"), map: byId("map"), dimensions: byId("dimensions") },
    questions: { hosts: askForHosts, asset: askForAsset },
    panelOf: (second) => new ComparePanel(byId("view-section"), second),
    changed: () => this.onChange(),
    leave: () => this.onLeave(),
    fail: (error) => this.onError(error),
    isDrawing: () => this.#plots.isDrawing,
  });
  readonly #plates = new PlateGrid(byId("plate"), (path) => this.onPath(path));

  #content: Content | null = null;
  #signal: AbortSignal = new AbortController().signal;

  constructor(status: Status) {
    this.#status = status;
    this.#colours.onStored = (isStored) => this.onStored(isStored);
    new LinkedButtons(this.#linked, byId("linked"));
    byId("values").tabIndex = 0; // an element that scrolls must be focusable
    this.#listenToView();
  }

  show(content: Content, wanted: UrlState): void {
    const isSame = this.#content?.source === content.source;
    this.#signal = this.#view.leave();
    this.#content = content;
    this.#showPart(content);
    if (content.kind === "scene") this.#showScene(content.scene, wanted, isSame);
    else {
      this.#view.clear();
      this.#plots.show(null);
    }
    this.#linked.show(content, wanted);
    if (content.kind === "values") showValues(byId("values"), content.values);
    if (content.kind === "plate") this.#plates.show(content, this.#signal);
    if (content.kind === "failed") this.onError(content.error);
    if (content.kind === "choices") {
      const select = (path: string) => this.onPath(path);
      showChoices(byId("choices"), content.nodes, { select, advice: "Type a path under Data to show it." });
    }
    const { variables = [], variable } = this.#view.scene ?? {};
    const { onVariable, onPath } = this;
    showTitle(byId("title"), { ...content, variables, variable, field: content.path, onVariable, onPath });
  }

  /** The state of the view, without the data set and the node. */
  state(): UrlState {
    return { ...this.#view.state(), ...this.#plots.state(), ...this.#linked.state() };
  }

  /** What is beside the picture, which stays when another node of the data set is chosen. */
  linked(): UrlState {
    return this.#linked.state();
  }

  /** The picture as it is. Null if there is none. */
  snapshot(): Omit<ViewSnapshot, "source" | "isConsolidated"> | null {
    const snapshot = this.#view.picture.snapshot();
    const beside = this.#linked.pictures();
    return snapshot && { ...snapshot, marks: this.#plots.state().marks ?? [], beside };
  }

  /** Puts a layer above the picture, or takes it away. */
  setOverlay(layer: Parameters<Picture["setOverlay"]>[0]): void {
    this.#view.picture.setOverlay(layer);
  }

  #showPart(content: Content): void {
    const isScene = content.kind === "scene";
    const part = isScene ? "map" : content.kind;
    for (const id of PARTS) byId(id).hidden = id !== part;
    for (const id of ["zoom", "switch-plots", "panel-display-content"]) byId(id).hidden = !isScene;
    byId<HTMLButtonElement>("switch-display").disabled = !isScene;
    byId("main-view").dataset.kind = isScene ? content.scene.kind : content.kind;
  }

  #showScene(initial: Scene, wanted: UrlState, isSame: boolean): void {
    const before = this.#view.scene;
    const own = this.#plots.state();
    const scene = this.#view.show(initial, wanted, { isSame });
    const isKept = isSame && before !== null && isSamePlane(before, scene);
    this.#showPlots(wanted.marks ?? (isKept ? own.marks : undefined), wanted.plot ?? own.plot);
    this.#colours.show(scene, this.#signal);
    const isMap = scene.space.kind === "geographic" || scene.space.kind === "projected";
    this.#layers.show(scene.labels, isMap ? this.#view.lines : null);
  }

  /** Draws other axes. Marks are positions in the axes before. */
  async #setPlane(plane: Plane): Promise<void> {
    const { planes } = this.#linked.state();
    if (planes) this.#view.setAt({ ...this.#view.at, ...planes }); // the crosshair stays
    await this.#view.setPlane(plane);
    this.#showPlots([], {});
    if (this.#content) this.#linked.show(this.#content, this.#linked.state());
  }

  #showPlots(marks: UrlState["marks"], plot: UrlState["plot"]): void {
    const [{ scene, at }, content] = [this.#view, this.#content];
    if (!scene || !content) return;
    const { dataset, path } = content;
    this.#plots.show({ scene, at, source: dataset.source.key, path }, marks, plot);
  }

  #listenToView(): void {
    const { picture } = this.#view;
    this.#view.onChange = () => {
      const { scene, at } = this.#view;
      if (scene) this.#plots.update(scene, at);
      this.#linked.update();
      this.onChange();
    };
    this.#view.onError = (error) => this.onError(error);
    this.#view.onDrawn = (scene, level) => this.#options.show(scene, level);
    picture.onLevel = (level) => this.#options.setDrawnLevel(level);
    picture.onProgress = (progress) => {
      this.#view.setBusy(progress.done < progress.wanted);
      this.#status.show(progress);
      this.onWarnings();
    };
  }
}
