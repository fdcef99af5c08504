/**
 * A scene on the page: the picture, the sliders of its dimensions, the legend, the values under the
 * pointer, and the buttons that zoom. It holds the scene as the user sees it, and tells its state
 * for URLs and attributes. It has no panels: `app/main_view.ts` adds those of the viewer.
 */

import { render } from "lit-html";
import type { VisibleLines } from "../../map/map_lines.js";
import { Picture } from "../../map/picture.js";
import { sceneInPlane } from "../../model/scene/build_scene.js";
import { AxisTexts } from "../../model/scene/coordinates.js";
import type { Plane, Scene } from "../../model/scene/scene.js";
import { indicesOf, isSamePlane, slidAxes, styledScene } from "../../model/scene/scene_state.js";
import type { UrlState } from "../../model/state/url_state.js";
import { iconButton } from "../page/element.js";
import { moveByKeys } from "../page/keyboard.js";
import { showLegend, showReading } from "../panels/corner.js";
import { Dimensions } from "../panels/dimensions.js";

/** The elements that a scene fills. */
export interface SceneParts {
  map: HTMLElement;
  dimensions: HTMLElement;
  zoom: HTMLElement;
  legend: HTMLElement;
  readout: HTMLElement;
}

const ZOOM = 1.6;

/** What the user has changed. The state needs nothing else of the scene. */
type Changed = Pick<UrlState, "channels" | "field" | "labels" | "layers" | "play">;

const changedIn = ({ channels, field, labels, layers, play }: UrlState): Changed => {
  return { channels, field, labels, layers, play };
};

function linesOf({ layers }: UrlState): VisibleLines {
  const isOn = (name: string, usual: boolean) => layers?.includes(name) ?? usual;
  return { coast: isOn("coast", true), graticule: isOn("graticule", false) };
}

export class SceneView {
  /** The state has changed. */
  onChange: () => void = () => {};
  /** The axes of the picture have changed. */
  onDrawn: (scene: Scene, level: number | null) => void = () => {};
  onError: (error: unknown) => void = () => {};

  readonly picture: Picture;
  readonly #parts: SceneParts;
  readonly #dimensions: Dimensions;

  /** The colours before the user changed them. */
  #initial: Pick<Scene, "channels" | "field" | "labels"> | null = null;
  #scene: Scene | null = null;
  #at: Record<string, number> = {};
  #level: number | null = null;
  #lines: VisibleLines = { coast: true, graticule: false };
  #changed: Changed = {};
  #reading = new AbortController();
  #texts: AxisTexts | undefined;
  /** Whether an axis outside of the plane has a slider. */
  #hasSlider: (name: string) => boolean = () => true;
  #waits = 0;

  /** Throws an error for the user if the browser cannot draw. */
  constructor(parts: SceneParts) {
    this.#parts = parts;
    this.picture = new Picture(parts.map);
    this.#dimensions = new Dimensions(parts.dimensions, {
      choose: (name, index) => this.setAt({ ...this.#at, [name]: index }),
      preload: (name, index) => this.picture.preload({ ...this.#at, [name]: index }),
      shown: () => this.picture.idle(),
      onPlay: (play) => this.#change({ play }),
    });
    parts.map.tabIndex = 0; // an element that handles keys must be focusable
    moveByKeys(parts.map, this.picture);
    this.#renderZoom();
    this.picture.onCamera = () => this.onChange();
    this.picture.onPointer = (reading) => showReading(parts.readout, reading);
    // Values under a moving mouse would be read out without end.
    parts.map.addEventListener("keydown", () => parts.readout.setAttribute("aria-live", "polite"));
    parts.map.addEventListener("pointermove", () => parts.readout.setAttribute("aria-live", "off"));
    this.picture.onError = (error) => this.onError(error);
  }

  #renderZoom(): void {
    const buttons = [
      iconButton("plus", "Zoom in", () => this.picture.zoomBy(ZOOM)),
      iconButton("minus", "Zoom out", () => this.picture.zoomBy(1 / ZOOM)),
      iconButton("fit", "Show all", () => this.picture.fit()),
    ];
    render(buttons, this.#parts.zoom);
  }

  get scene(): Scene | null {
    return this.#scene;
  }

  /** The indices by name of axis. */
  get at(): Record<string, number> {
    return this.#at;
  }

  /** The fixed level. Null: it follows the zoom. */
  get level(): number | null {
    return this.#level;
  }

  get lines(): VisibleLines {
    return this.#lines;
  }

  /** Ends the reads of what is shown. The scene stays until `show` or `clear`. */
  leave(): AbortSignal {
    this.#reading.abort();
    this.#reading = new AbortController();
    showReading(this.#parts.readout, null);
    return this.#reading.signal;
  }

  clear(): void {
    this.#scene = null;
    this.#texts = undefined;
    this.picture.clear();
    this.#dimensions.show([]);
    showLegend(this.#parts.legend, null);
  }

  /** Shows a scene in a state. `before`: what is shown now belongs to the same data set. */
  show(initial: Scene, wanted: UrlState, { isSame = false } = {}): Scene {
    this.#initial = initial;
    const scene = styledScene(initial, wanted);
    const before = isSame ? this.#scene : null;
    this.#at = indicesOf(scene, wanted.at, before && { axes: before.axes, at: this.#at });
    this.#level = wanted.level !== undefined && scene.pyramid.levels[wanted.level] ? wanted.level : null;
    this.#changed = changedIn(wanted);
    this.#dimensions.setPlay(wanted.play);
    this.#lines = linesOf(wanted);
    const isKept = before !== null && isSamePlane(before, scene);
    this.#draw(scene, wanted.view ?? (isKept ? this.picture.camera() : undefined));
    showLegend(this.#parts.legend, scene);
    return scene;
  }

  /** Applies a state of the same node to what is shown. It reads nothing but chunks. */
  apply(wanted: UrlState): void {
    const [scene, initial] = [this.#scene, this.#initial];
    if (!scene || !initial) return;
    const { channels, field, labels } = initial;
    const styled = styledScene({ ...scene, channels, field, labels }, wanted);
    this.setLines(linesOf(wanted));
    this.restyle(
      { channels: styled.channels, field: styled.field, labels: styled.labels },
      changedIn(wanted),
    );
    this.setLevel(wanted.level !== undefined && scene.pyramid.levels[wanted.level] ? wanted.level : null);
    this.setAt(indicesOf(scene, wanted.at, { axes: scene.axes, at: this.#at }));
    this.#dimensions.setPlay(wanted.play);
    this.#dimensions.follow(this.#at);
    if (wanted.view) this.picture.setCamera(wanted.view);
  }

  /** Draws a scene in its plane, and shows what depends on the plane. */
  #draw(scene: Scene, camera?: ReturnType<Picture["camera"]>): void {
    this.#scene = scene;
    const [at, level, lines] = [this.#at, this.#level, this.#lines];
    const texts = new AxisTexts(scene, this.#reading.signal);
    this.#texts = texts;
    void this.picture.show({ scene, at, camera, level, lines, texts });
    this.#showSliders(scene);
    this.onDrawn(scene, level);
  }

  #showSliders(scene: Scene): void {
    const slid = slidAxes(scene).filter(({ name }) => this.#hasSlider(name));
    this.#dimensions.show(slid, this.#at, this.#texts);
  }

  /** Shows sliders of some of the axes outside of the plane. Other views set the others. */
  setSliders(hasSlider: (name: string) => boolean): void {
    this.#hasSlider = hasSlider;
    if (this.#scene) this.#showSliders(this.#scene);
  }

  /** The text of an index of an axis outside of the plane, such as a date. */
  textOf(name: string): string {
    return this.#texts?.text(name, this.#at[name] ?? 0) ?? "";
  }

  /** Takes the colours, the lines and the level of another view of the same data. */
  follow({ scene, level, lines }: Pick<SceneView, "scene" | "level" | "lines">): void {
    const own = this.#scene;
    if (!own || !scene) return;
    const { channels, field, labels } = scene;
    const isOld = own.channels !== channels || own.field !== field || own.labels !== labels;
    if (isOld) this.restyle({ channels, field, labels }, {});
    if (this.#level !== level) this.setLevel(level);
    if (this.#lines !== lines) this.setLines(lines);
  }

  /** Draws other axes. */
  async setPlane(plane: Plane): Promise<void> {
    const { signal } = this.#reading;
    const turned = this.#scene && (await sceneInPlane(this.#scene, plane, signal));
    if (!turned || signal.aborted) return;
    this.#draw(turned);
    this.onChange();
  }

  /** Shows an index of an axis that has a slider. */
  choose(name: string, index: number): void {
    this.#dimensions.choose(name, index);
  }

  setAt(at: Record<string, number>): void {
    this.#at = at;
    this.picture.setAt(at);
    this.onChange();
  }

  /** Fixes the level. Null: it follows the zoom. */
  setLevel(level: number | null): void {
    this.#level = level;
    this.picture.setLevel(level);
    this.onChange();
  }

  setLines(lines: VisibleLines): void {
    this.#lines = lines;
    this.picture.setLines(lines);
    this.#change({ layers: (["coast", "graticule"] as const).filter((name) => lines[name]) });
  }

  /** Changes colours. `changed` is the same for the state. */
  restyle(style: Partial<Pick<Scene, "channels" | "field" | "labels">>, changed: Changed): void {
    if (!this.#scene) return;
    this.#scene = { ...this.#scene, ...style };
    this.picture.restyle(this.#scene);
    showLegend(this.#parts.legend, this.#scene);
    this.#change(changed);
  }

  #change(changed: Changed): void {
    this.#changed = { ...this.#changed, ...changed };
    this.onChange();
  }

  /** A picture is complete when it is drawn, which is later than its last tile. */
  setBusy(isBusy: boolean): void {
    this.#waits += 1;
    const wait = this.#waits;
    const { map } = this.#parts;
    if (isBusy) map.setAttribute("aria-busy", "true");
    else {
      void this.picture.idle().then(() => {
        if (wait === this.#waits) map.setAttribute("aria-busy", "false");
      });
    }
  }

  /** The state of the view, without the data set and the node. */
  state(): UrlState {
    const scene = this.#scene;
    if (!scene) return {};
    const { plane, pyramid, axes, variable, kind, isPacked, decode } = scene;
    const isSwapped = plane.x !== pyramid.plane.x || plane.y !== pyramid.plane.y;
    const indices = slidAxes(scene).map(({ name }) => [name, this.#at[name] ?? 0]);
    return {
      variable,
      values: kind === "field" && isPacked && !decode ? "stored" : undefined,
      plane: isSwapped ? { x: axes[plane.x]?.name ?? "", y: axes[plane.y]?.name ?? "" } : undefined,
      at: indices.length > 0 ? Object.fromEntries(indices) : undefined,
      view: this.picture.camera(),
      level: this.#level ?? undefined,
      ...this.#changed,
    };
  }
}
