/**
 * The stage: the picture and its controls. It holds the scene as the user sees it, passes changes
 * in the panels to the picture, and tells the state for the page's URL.
 */

import { render } from "lit-html";
import type { UrlState } from "./opening/url_state.js";
import { byId, iconButton } from "./page/element.js";
import { moveByKeys } from "./page/keyboard.js";
import { Channels } from "./panels/channels.js";
import { showChoices } from "./panels/choices.js";
import { showLegend, showReading } from "./panels/corner.js";
import { Dimensions } from "./panels/dimensions.js";
import { Field } from "./panels/field.js";
import { Layers } from "./panels/layers.js";
import { PlateGrid } from "./panels/plate_grid.js";
import type { Status } from "./panels/status.js";
import { showTitle } from "./panels/title.js";
import { showValues } from "./panels/values.js";
import { ViewOptions } from "./panels/view_options.js";
import type { ShownLines } from "./picture/map_lines.js";
import { Picture } from "./picture/picture.js";
import { sceneInPlane } from "./scene/build_scene.js";
import { AxisTexts } from "./scene/coordinates.js";
import { coarseHistogram } from "./scene/limits.js";
import type { Plane, Scene } from "./scene/scene.js";
import { indicesOf, isSamePlane, slidAxes, styledScene } from "./scene_state.js";
import type { Shown } from "./shown.js";

const PARTS = ["map", "values", "plate", "choices"] as const;
const ZOOM = 1.6;
/** Number of bins of the histograms with which users set limits. */
const BINS = { bins: 128 };

/** What the user has changed. The URL needs nothing else. */
type Changed = Pick<UrlState, "channels" | "field" | "labels" | "layers">;

export class Stage {
  /** The contents have changed. */
  onChange: () => void = () => {};
  onPath: (path: string) => void = () => {};
  onVariable: (variable: string) => void = () => {};
  /** Something was read, so there may be new warnings. */
  onWarnings: () => void = () => {};
  onError: (error: unknown) => void = () => {};

  readonly #status: Status;
  readonly #picture = new Picture(byId("map"));
  readonly #dimensions = new Dimensions(byId("dimensions"), {
    choose: (name, index) => this.#setAt({ ...this.#at, [name]: index }),
    preload: (name, index) => this.#picture.preload({ ...this.#at, [name]: index }),
    shown: () => this.#picture.idle(),
  });
  readonly #channels = new Channels(byId("channels"), (channels) =>
    this.#restyle({ channels }, { channels }),
  );
  readonly #field = new Field(byId("field-style"), (field) => this.#restyle({ field }, { field }));
  readonly #layers = new Layers(byId("layers"), byId("layers-section"), {
    setLabels: (labels) => {
      const visible = labels.filter((label) => label.visible);
      const opacities = Object.fromEntries(visible.map(({ path, opacity }) => [path, opacity]));
      this.#restyle({ labels }, { labels: opacities });
    },
    setLines: (lines) => {
      this.#picture.setLines(lines);
      this.#change({ layers: (["coast", "graticule"] as const).filter((name) => lines[name]) });
    },
  });
  readonly #view = new ViewOptions(byId("view"), byId("view-section"), {
    setPlane: (plane) => void this.#setPlane(plane).catch((error) => this.onError(error)),
    setLevel: (level) => {
      this.#level = level;
      this.#picture.setLevel(level);
      this.onChange();
    },
  });
  readonly #plates = new PlateGrid(byId("plate"), (path) => this.onPath(path));

  #shown: Shown | null = null;
  #scene: Scene | null = null;
  #at: Record<string, number> = {};
  #level: number | null = null;
  #lines: ShownLines = { coast: true, graticule: false };
  #changed: Changed = {};
  #reading = new AbortController();
  #waits = 0;

  constructor(status: Status) {
    this.#status = status;
    // An element that handles keys must be focusable.
    for (const id of ["map", "values"]) byId(id).tabIndex = 0;
    this.#listenToPicture();
    moveByKeys(byId("map"), this.#picture);
    const buttons = [
      iconButton("plus", "Zoom in", () => this.#picture.zoomBy(ZOOM)),
      iconButton("minus", "Zoom out", () => this.#picture.zoomBy(1 / ZOOM)),
      iconButton("fit", "Show all", () => this.#picture.fit()),
    ];
    render(buttons, byId("zoom"));
  }

  show(shown: Shown, wanted: UrlState): void {
    const before = this.#shown?.source === shown.source ? this.#scene : null;
    this.#reading.abort();
    this.#reading = new AbortController();
    this.#shown = shown;
    showReading(byId("readout"), null);
    this.#showPart(shown);
    if (shown.kind === "scene") this.#showScene(styledScene(shown.scene, wanted), wanted, before);
    else {
      this.#scene = null;
      this.#picture.clear();
      this.#dimensions.show([]);
      showLegend(byId("legend"), null);
    }
    if (shown.kind === "values") showValues(byId("values"), shown.values);
    if (shown.kind === "plate") this.#plates.show(shown, this.#reading.signal);
    if (shown.kind === "failed") this.onError(shown.error);
    if (shown.kind === "choices") showChoices(byId("choices"), shown.nodes, (path) => this.onPath(path));
    const { variables = [], variable } = this.#scene ?? {};
    const { onVariable, onPath } = this;
    showTitle(byId("title"), { ...shown, variables, variable, field: shown.path, onVariable, onPath });
  }

  /** The state of the contents, without the data set and the node. */
  state(): UrlState {
    const scene = this.#scene;
    if (!scene) return {};
    const { plane, pyramid, axes, variable } = scene;
    const isSwapped = plane.x !== pyramid.plane.x || plane.y !== pyramid.plane.y;
    const indices = slidAxes(scene).map(({ name }) => [name, this.#at[name] ?? 0]);
    return {
      variable,
      plane: isSwapped ? { x: axes[plane.x]?.name ?? "", y: axes[plane.y]?.name ?? "" } : undefined,
      at: indices.length > 0 ? Object.fromEntries(indices) : undefined,
      view: this.#picture.camera(),
      level: this.#level ?? undefined,
      ...this.#changed,
    };
  }

  #showPart(shown: Shown): void {
    const isScene = shown.kind === "scene";
    const part = isScene ? "map" : shown.kind;
    for (const id of PARTS) byId(id).hidden = id !== part;
    for (const id of ["zoom", "panel-display-content"]) byId(id).hidden = !isScene;
    byId<HTMLButtonElement>("switch-display").disabled = !isScene;
    byId("stage").dataset.kind = isScene ? shown.scene.kind : shown.kind;
  }

  #showScene(scene: Scene, wanted: UrlState, before: Scene | null): void {
    this.#at = indicesOf(scene, wanted.at, before && { axes: before.axes, at: this.#at });
    this.#level = wanted.level !== undefined && scene.pyramid.levels[wanted.level] ? wanted.level : null;
    const { channels, field, labels, layers } = wanted;
    this.#changed = { channels, field, labels, layers };
    const isOn = (name: string, usual: boolean) => layers?.includes(name) ?? usual;
    this.#lines = { coast: isOn("coast", true), graticule: isOn("graticule", false) };
    const isKept = before !== null && isSamePlane(before, scene);
    this.#draw(scene, wanted.view ?? (isKept ? this.#picture.camera() : undefined));
    this.#showColours(scene);
    const isMap = scene.space.kind === "geographic" || scene.space.kind === "projected";
    this.#layers.show(scene.labels, isMap ? this.#lines : null);
  }

  /** Draws a scene in its plane, and shows what depends on the plane. */
  #draw(scene: Scene, camera?: ReturnType<Picture["camera"]>): void {
    this.#scene = scene;
    const [at, level, lines] = [this.#at, this.#level, this.#lines];
    const texts = new AxisTexts(scene, this.#reading.signal);
    this.#picture.show({ scene, at, camera, level, lines, texts });
    this.#dimensions.show(slidAxes(scene), at, texts);
    this.#view.show(scene, level);
  }

  /** Draws other axes. */
  async #setPlane(plane: Plane): Promise<void> {
    const { signal } = this.#reading;
    const turned = this.#scene && (await sceneInPlane(this.#scene, plane, signal));
    if (!turned || signal.aborted) return;
    this.#draw(turned);
    this.onChange();
  }

  #showColours(scene: Scene): void {
    const { title, field, integer, kind, channels, axes } = scene;
    byId("field-section").hidden = kind !== "field";
    byId("channels-section").hidden = channels.length === 0;
    showLegend(byId("legend"), scene);
    if (field) {
      const limitsInView = () => this.#picture.limitsInView();
      this.#field.show({ title, style: field, integer, histogram: () => this.#histogram(), limitsInView });
    } else {
      const count = (kind === "image" && axes.find(({ role }) => role === "c")?.length) || channels.length;
      this.#channels.show({ channels, count, integer, histogram: ({ index }) => this.#histogram(index) });
    }
  }

  /** The histogram of the visible plane of a channel. */
  async #histogram(channel?: number) {
    const { pyramid, axes, plane, decode } = this.#scene as Scene;
    const at = axes.map(({ name, role }) => (role === "c" ? channel : undefined) ?? this.#at[name] ?? 0);
    return coarseHistogram(pyramid, { plane, at, decode, signal: this.#reading.signal }, BINS);
  }

  #listenToPicture(): void {
    this.#picture.onCamera = () => this.onChange();
    this.#picture.onPointer = (reading) => showReading(byId("readout"), reading);
    this.#picture.onProgress = (progress) => {
      this.#setBusy(progress.done < progress.wanted);
      this.#status.show(progress);
      this.onWarnings();
    };
    this.#picture.onError = (error) => this.onError(error);
    this.#picture.onLevel = (level) => this.#view.setDrawnLevel(level);
  }

  /** A picture is complete when it is drawn, which is later than its last tile. */
  #setBusy(isBusy: boolean): void {
    this.#waits += 1;
    const wait = this.#waits;
    if (isBusy) byId("map").setAttribute("aria-busy", "true");
    else {
      void this.#picture.idle().then(() => {
        if (wait === this.#waits) byId("map").setAttribute("aria-busy", "false");
      });
    }
  }

  #setAt(at: Record<string, number>): void {
    this.#at = at;
    this.#picture.setAt(at);
    this.onChange();
  }

  #restyle(style: Partial<Pick<Scene, "channels" | "field" | "labels">>, changed: Changed): void {
    if (!this.#scene) return;
    this.#scene = { ...this.#scene, ...style };
    this.#picture.restyle(this.#scene);
    showLegend(byId("legend"), this.#scene);
    this.#change(changed);
  }

  #change(changed: Changed): void {
    this.#changed = { ...this.#changed, ...changed };
    this.onChange();
  }
}
