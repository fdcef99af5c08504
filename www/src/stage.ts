/**
 * The stage: the picture and its controls. It passes the scene and changes in the panels to the
 * picture, and holds the state for the page's URL.
 */

import { render } from "lit-html";
import type { DatasetNode } from "./opening/dataset.js";
import type { UrlState } from "./opening/url_state.js";
import { byId, iconButton } from "./page/element.js";
import { moveByKeys } from "./page/keyboard.js";
import { Channels } from "./panels/channels.js";
import { showChoices } from "./panels/choices.js";
import { Dimensions } from "./panels/dimensions.js";
import { Field } from "./panels/field.js";
import { coarseHistogram } from "./panels/histograms.js";
import { Layers } from "./panels/layers.js";
import { channelLegend, fieldLegend, showLegend } from "./panels/legend.js";
import { PlateGrid } from "./panels/plate_grid.js";
import { showReading } from "./panels/readout.js";
import type { Status } from "./panels/status.js";
import { showTitle } from "./panels/title.js";
import { showValues } from "./panels/values.js";
import { ViewOptions } from "./panels/view_options.js";
import { Picture } from "./picture/picture.js";
import { axisText } from "./scene/coordinates.js";
import type { Scene } from "./scene/scene.js";
import { indicesOf, isSamePlane, slidAxes, styledScene } from "./scene_state.js";
import { type Place, prepareShown, type Shown } from "./shown.js";

const PARTS = ["map", "values", "plate", "choices"] as const;
const ZOOM = 1.6;

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

  readonly #picture: Picture;
  readonly #status: Status;
  readonly #dimensions = new Dimensions(byId("dimensions"));
  readonly #channels = new Channels(byId("channels"));
  readonly #field = new Field(byId("field-style"));
  readonly #layers = new Layers(byId("layers"), byId("layers-section"));
  readonly #view = new ViewOptions(byId("view"), byId("view-section"));
  readonly #plates = new PlateGrid(byId("plate"));

  #shown: Shown | null = null;
  #scene: Scene | null = null;
  #plane = { x: 0, y: 0 };
  #at: Record<string, number> = {};
  #level: number | null = null;
  #changed: Changed = {};
  #reading = new AbortController();
  #waits = 0;

  constructor(status: Status) {
    this.#status = status;
    this.#picture = new Picture(byId("map"));
    // An element that handles keys must be focusable.
    for (const id of ["map", "values"]) byId(id).tabIndex = 0;
    this.#listenToPicture();
    this.#listenToPanels();
    moveByKeys(byId("map"), this.#picture);
    const buttons = [
      iconButton("plus", "Zoom in", () => this.#picture.zoomBy(ZOOM)),
      iconButton("minus", "Zoom out", () => this.#picture.zoomBy(1 / ZOOM)),
      iconButton("fit", "Show all", () => this.#picture.fit()),
    ];
    render(buttons, byId("zoom"));
  }

  prepare(node: DatasetNode, wanted: UrlState, place: Place, signal: AbortSignal): Promise<Shown> {
    return prepareShown(node, wanted, place, signal);
  }

  show(shown: Shown, wanted: UrlState): void {
    const before = this.#shown;
    this.#reading.abort();
    this.#reading = new AbortController();
    this.#shown = shown;
    showReading(byId("readout"), null);
    this.#showPart(shown.kind);
    if (shown.kind === "scene") {
      const isSameSource = before?.kind === "scene" && before.source === shown.source;
      this.#showScene(shown.scene, wanted, isSameSource ? before.scene : null);
    } else {
      this.#scene = null;
      this.#picture.clear();
      this.#dimensions.show([]);
      showLegend(byId("legend"), null);
    }
    if (shown.kind === "values") showValues(byId("values"), shown.values);
    if (shown.kind === "plate") this.#plates.show(shown, this.#reading.signal);
    if (shown.kind === "failed") this.onError(shown.error);
    if (shown.kind === "choices") showChoices(byId("choices"), shown.nodes, (path) => this.onPath(path));
    const { variables, variable } = this.#scene ?? {};
    showTitle(byId("title"), {
      ...shown,
      variables: variables ?? [],
      variable,
      field: shown.path,
      onVariable: this.onVariable,
      onPath: this.onPath,
    });
  }

  /** The state of the contents, without the data set and the node. */
  state(): UrlState {
    const scene = this.#scene;
    if (!scene) return {};
    const { plane } = scene.pyramid;
    const isSwapped = plane.x !== this.#plane.x || plane.y !== this.#plane.y;
    const sliders = slidAxes(scene, this.#plane);
    return {
      ...(scene.variable !== undefined && { variable: scene.variable }),
      ...(isSwapped && { plane: { x: this.#name(this.#plane.x), y: this.#name(this.#plane.y) } }),
      ...(sliders.length > 0 && {
        at: Object.fromEntries(sliders.map(({ name }) => [name, this.#at[name] ?? 0])),
      }),
      view: this.#picture.camera(),
      ...(this.#level !== null && { level: this.#level }),
      ...this.#changed,
    };
  }

  #name(axis: number): string {
    return this.#scene?.axes.find((each) => each.axis === axis)?.name ?? "";
  }

  #showPart(kind: Shown["kind"]): void {
    const part = kind === "scene" ? "map" : kind;
    for (const id of PARTS) byId(id).hidden = id !== part;
    for (const id of ["zoom", "panel-display-content"]) byId(id).hidden = kind !== "scene";
    byId<HTMLButtonElement>("switch-display").disabled = kind !== "scene";
    byId("stage").dataset.kind = this.#shown?.kind === "scene" ? this.#shown.scene.kind : kind;
  }

  #showScene(asBuilt: Scene, wanted: UrlState, before: Scene | null): void {
    const scene = styledScene(asBuilt, wanted);
    this.#at = indicesOf(scene, wanted.at, before && { axes: before.axes, at: this.#at });
    this.#level = wanted.level !== undefined && scene.pyramid.levels[wanted.level] ? wanted.level : null;
    const { channels, field, labels, layers } = wanted;
    this.#changed = { channels, field, labels, layers };
    const camera = wanted.view ?? (before && isSamePlane(before, scene) ? this.#picture.camera() : undefined);
    this.#scene = scene;
    this.#plane = { ...scene.plane };
    this.#picture.show(scene, { at: this.#at, camera, level: this.#level });
    this.#showDimensions();
    this.#showColours(scene);
    this.#showLayers(scene, layers);
    this.#showView(scene);
  }

  #showView(scene: Scene): void {
    this.#view.show({ scene, plane: this.#plane, level: this.#level });
  }

  #showDimensions(): void {
    const scene = this.#scene;
    if (!scene) return;
    const { signal } = this.#reading;
    const axes = slidAxes(scene, this.#plane);
    this.#dimensions.show(axes.map(({ name, length }) => ({ name, length, index: this.#at[name] ?? 0 })));
    for (const { name } of axes) {
      axisText(scene, name, { signal }).then(
        (text) => signal.aborted || this.#dimensions.setText(name, text),
        // The picture is usable without the names of places.
        () => {},
      );
    }
  }

  #showColours(scene: Scene): void {
    const { signal } = this.#reading;
    byId("field-section").hidden = scene.kind !== "field";
    byId("channels-section").hidden = scene.channels.length === 0;
    if (scene.kind === "field" && scene.field) {
      const { title, integer, field } = scene;
      const histogram = () => coarseHistogram(scene, this.#at, { signal });
      const limitsInView = () => this.#picture.limitsInView();
      this.#field.show({ title, style: field, integer, histogram, limitsInView });
      showLegend(byId("legend"), fieldLegend(scene, field));
    } else {
      const { channels, integer } = scene;
      const count = scene.kind === "image" ? scene.axes.find(({ role }) => role === "c")?.length : undefined;
      this.#channels.show({
        channels,
        count: count ?? channels.length,
        integer,
        histogram: ({ index }) => coarseHistogram(scene, this.#at, { signal, channel: index }),
      });
      showLegend(byId("legend"), scene.kind === "image" ? channelLegend(channels) : null);
    }
  }

  #showLayers(scene: Scene, layers: readonly string[] | undefined): void {
    const map = layers
      ? { coast: layers.includes("coast"), graticule: layers.includes("graticule") }
      : { coast: true, graticule: false };
    const isMap = scene.space.kind === "geographic" || scene.space.kind === "projected";
    this.#layers.show(scene.labels, isMap ? map : null);
    this.#picture.setLines(map);
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
    this.#picture.onScene = (scene) => this.#takePlane(scene);
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

  #listenToPanels(): void {
    this.#plates.onWell = (well) => this.onPath([this.#shown?.path, well.path].filter(Boolean).join("/"));
    this.#dimensions.onIndex = (name, index) => {
      this.#at = { ...this.#at, [name]: index };
      this.#picture.setAt({ [name]: index });
      this.onChange();
    };
    this.#dimensions.preload = (name, index) => this.#picture.preload({ ...this.#at, [name]: index });
    this.#dimensions.shown = () => this.#picture.idle();
    this.#view.onPlane = (plane) => this.#picture.setPlane(plane);
    this.#view.onLevel = (level) => {
      this.#level = level;
      this.#picture.setLevel(level);
      this.onChange();
    };
    this.#listenToColours();
  }

  #listenToColours(): void {
    this.#channels.onChange = (channels) => {
      this.#picture.setChannels(channels);
      showLegend(byId("legend"), channelLegend(channels));
      this.#change({ channels });
    };
    this.#field.onChange = (field) => {
      this.#picture.setField(field);
      if (this.#scene) showLegend(byId("legend"), fieldLegend(this.#scene, field));
      this.#change({ field });
    };
    this.#layers.onLabels = (labels) => {
      this.#picture.setLabels(labels);
      const visible = labels.filter((label) => label.visible);
      this.#change({ labels: Object.fromEntries(visible.map(({ path, opacity }) => [path, opacity])) });
    };
    this.#layers.onMapLayers = (map) => {
      this.#picture.setLines(map);
      this.#change({ layers: (["coast", "graticule"] as const).filter((name) => map[name]) });
    };
  }

  /** The scene with other axes drawn. */
  #takePlane(scene: Scene): void {
    this.#scene = scene;
    this.#plane = { ...scene.plane };
    this.#showDimensions();
    this.#showView(scene);
    this.onChange();
  }

  #change(changed: Changed): void {
    this.#changed = { ...this.#changed, ...changed };
    this.onChange();
  }
}
