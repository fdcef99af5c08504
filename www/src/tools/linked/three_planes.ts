/**
 * The planes xy, xz and yz of a volume: the first picture with the two others beside it, a
 * crosshair in each, and the values where it is. This code loads when the planes are first shown;
 * `linked.ts` holds the state.
 */
import "../../../style/linked.css";
import { html } from "lit-html";
import { extentOf } from "../../map/extent.js";
import { sceneInPlane } from "../../model/scene/build_scene.js";
import type { Camera, Scene } from "../../model/scene/scene.js";
import { showReading } from "../../widgets/panels/corner.js";
import type { SceneView } from "../../widgets/views/scene_view.js";
import { type Indices, inViewOf, type PictureSnapshot } from "../../widgets/views/view_snapshot.js";
import { alignedWith, isPlane, type MapPlane, mapPlane, planesOf, sameElements } from "./axis_positions.js";
import { Crosshair } from "./crosshair.js";
import { type CameraLink, LinkedCameras } from "./linked_cameras.js";
import type { LinkedContext, LinkedViews } from "./linked_views.js";
import { SideView } from "./side_view.js";

/** A picture of one of the planes. */
interface PlaneView {
  view: SceneView;
  scene: Scene;
  onMap: MapPlane;
  /** The element that has the focus. */
  target: HTMLElement;
  /** None for the first picture. */
  side?: SideView;
}

const KEYS = "Arrow keys move the crosshair, with Shift faster, plus and minus zoom, 0 shows all.";

/** "xz". The usual name is "yz", also if z is horizontal. */
function nameOf({ axes, plane }: Scene): string {
  const [x, y] = [axes[plane.x], axes[plane.y]];
  const names = x?.role === "z" ? [y?.name, x.name] : [x?.name, y?.name];
  return names.join(names.every((name) => name?.length === 1) ? "" : "–");
}

/** The indices of a plane's picture: its own axes have none, so that the picture stays as it is. */
function outside({ axes, plane }: Scene, at: Indices): Record<string, number> {
  const own = [axes[plane.x]?.name, axes[plane.y]?.name];
  return Object.fromEntries(
    Object.entries(at).map(([name, index]) => [name, own.includes(name) ? 0 : index]),
  );
}

/** Each picture follows each other one along the axis that both have. */
const linksOf = (all: readonly PlaneView[]): CameraLink[] =>
  all.flatMap((from) =>
    all
      .filter((to) => to !== from)
      .map((to) => ({
        from: from.view.picture,
        to: to.view.picture,
        camera: (other: Camera, own: Camera) => sameElements(from.onMap, to.onMap, other, own),
      })),
  );

/** The camera of a plane beside another picture: the middle of the axis that only it has. */
function cameraOf(onMap: MapPlane, scene: Scene, main: PlaneView): Camera {
  const [left, bottom, right, top] = extentOf(scene);
  const middle = { x: (left + right) / 2, y: (bottom + top) / 2, resolution: 1 };
  return sameElements(main.onMap, onMap, main.view.picture.camera(), middle);
}

/** The share of the first picture is at most this number of times that of another plane. */
const MAX_RATIO = 4;

/** How many times wider, or higher, the first picture is than another plane. */
function timesOf(main: PlaneView, { scene, onMap }: PlaneView, way: "x" | "y"): number {
  const one = { x: 0, y: 0, resolution: 1 };
  const { resolution } = sameElements(main.onMap, onMap, one, one);
  const lengthOf = (extent: readonly number[]) =>
    way === "x" ? (extent[2] ?? 1) - (extent[0] ?? 0) : (extent[3] ?? 1) - (extent[1] ?? 0);
  const times = (lengthOf(extentOf(main.scene)) * resolution) / lengthOf(extentOf(scene));
  return Math.max(1, Math.min(times, MAX_RATIO));
}

/** The plane below the first picture: it has its columns, and the other one its rows. */
const belowOf = ({ plane: own }: Scene, scenes: readonly Scene[]): Scene | undefined =>
  scenes.find(({ plane }) => plane.x === own.x) ?? scenes.find(({ plane }) => plane.y !== own.y);

export class ThreePlanes implements LinkedViews {
  readonly #context: LinkedContext;
  readonly #views: HTMLElement;
  readonly #reading = document.createElement("output");
  readonly #main: PlaneView;
  readonly #sides: readonly PlaneView[];
  readonly #crosshairs: readonly Crosshair[];
  readonly #cameras: LinkedCameras;
  readonly #label: string;
  /** The indices of the crosshair along the axes of the viewer's picture. */
  #cross: Indices;
  readonly #ended = new AbortController();
  /** What the values are of. */
  #shown = "";

  private constructor(context: LinkedContext, main: PlaneView, scenes: readonly Scene[]) {
    this.#context = context;
    this.#views = context.elements.views;
    this.#main = main;
    const own = [main.onMap.x, main.onMap.y];
    const { planes = {} } = context.state;
    this.#cross = Object.fromEntries(
      own.map(({ name, length }) => [name, Math.min(planes[name] ?? main.view.at[name] ?? 0, length - 1)]),
    );
    this.#label = main.target.getAttribute("aria-label") ?? "";
    main.target.setAttribute("aria-label", `Picture of ${nameOf(main.scene)}. ${KEYS}`);
    this.#views.classList.add("planes");
    const below = belowOf(main.scene, scenes);
    this.#sides = scenes.map((scene) => this.#sideOf(scene, scene === below));
    this.#divide();
    this.#showReadings();
    const all = [main, ...this.#sides];
    this.#crosshairs = all.map((one) => this.#crosshairOf(one));
    this.#cameras = new LinkedCameras(main.view.picture, linksOf(all));
    context.changed({ planes: this.#cross });
    this.update();
  }

  /** Null if another scene is shown meanwhile. */
  static async open(context: LinkedContext, signal: AbortSignal): Promise<ThreePlanes | null> {
    const { view, elements } = context;
    const { scene } = view;
    const [planes, onMap] = scene ? [planesOf(scene), mapPlane(scene)] : [];
    if (!scene || !planes || !onMap) return null;
    const others = planes.filter((plane) => !isPlane(plane, scene.plane));
    const turned = await Promise.all(others.map((plane) => sceneInPlane(scene, plane, signal)));
    if (signal.aborted) return null;
    const scenes = turned.map((each) => alignedWith(scene, each));
    return new ThreePlanes(context, { view, scene, onMap, target: elements.map }, scenes);
  }

  #sideOf(scene: Scene, isBelow: boolean): PlaneView {
    const name = nameOf(scene);
    const side = new SideView(this.#context.elements, `plane ${isBelow ? "below" : "right"}`, name);
    side.name(name, KEYS);
    side.caption(html`<h2>${name}</h2>`);
    const { sceneView: view } = side.view;
    const onMap = mapPlane(scene) as MapPlane;
    const camera = cameraOf(onMap, scene, this.#main);
    const level = this.#main.view.level ?? undefined;
    view.setSliders(() => false);
    side.view.show(
      { ...this.#context.content, scene },
      { at: outside(scene, this.#at), view: camera, level, layers: [] },
    );
    return { view, scene, onMap, target: side.map, side };
  }

  /** Divides the room so that all planes are seen with the same scale. */
  #divide(): void {
    for (const one of this.#sides) {
      const isBelow = one.side?.root.classList.contains("below");
      const times = timesOf(this.#main, one, isBelow ? "y" : "x");
      this.#views.style.setProperty(isBelow ? "--down" : "--across", `${times.toFixed(3)}fr`);
    }
  }

  #crosshairOf({ view: { picture }, onMap, scene, target, side }: PlaneView): Crosshair {
    return new Crosshair({
      picture,
      target,
      plane: onMap,
      extent: extentOf(scene),
      move: (indices) => this.#move(indices),
      isBusy: () => !side && this.#context.isDrawing(),
    });
  }

  #showReadings(): void {
    this.#reading.className = "readout cross-reading";
    this.#reading.setAttribute("aria-label", "Values at the crosshair");
    this.#reading.setAttribute("aria-live", "off");
    const say = (how: string) => () => this.#reading.setAttribute("aria-live", how);
    const { signal } = this.#ended;
    this.#views.addEventListener("keydown", say("polite"), { signal });
    this.#views.addEventListener("pointermove", say("off"), { signal });
    this.#views.append(this.#reading);
  }

  get #at(): Record<string, number> {
    return { ...this.#main.view.at, ...this.#cross };
  }

  #move(indices: Indices): void {
    const isOwn = ([name]: [string, number]) => name in this.#cross;
    const entries = Object.entries(indices);
    this.#cross = { ...this.#cross, ...Object.fromEntries(entries.filter(isOwn)) };
    for (const entry of entries) if (!isOwn(entry)) this.#main.view.choose(...entry);
    this.#context.changed({ planes: this.#cross });
    this.update();
  }

  /** Shows the indices, the colours and the level of the first picture. */
  update(): void {
    const at = this.#at;
    for (const { view, scene } of this.#sides) {
      view.follow(this.#main.view);
      const own = outside(scene, at);
      if (Object.entries(own).some(([name, index]) => view.at[name] !== index)) view.setAt(own);
    }
    for (const crosshair of this.#crosshairs) crosshair.show(at);
    void this.#tell();
  }

  /** Tells the values at the crosshair. */
  async #tell(): Promise<void> {
    const { picture, scene } = this.#main.view;
    const asked = JSON.stringify([this.#at, scene?.channels.map(({ visible }) => visible)]);
    const position = this.#crosshairs[0]?.position();
    if (asked === this.#shown || !position) return;
    this.#shown = asked;
    for await (const reading of picture.readingsAt(position)) {
      if (asked === this.#shown) showReading(this.#reading, reading);
    }
  }

  pictures(): PictureSnapshot[] {
    return this.#sides.flatMap(({ side, scene }) => {
      const snapshot = side?.snapshot();
      if (!snapshot) return [];
      const elements = [inViewOf(this.#context.content.dataset, snapshot.state.scene, snapshot.box)];
      const follow = (at: Indices) => ({
        ...snapshot.state.at,
        ...outside(scene, { ...at, ...this.#cross }),
      });
      return [
        { ...snapshot, visible: [0, 1], marks: [], title: nameOf(scene), elements, hasLegend: false, follow },
      ];
    });
  }

  close(): void {
    this.#shown = "";
    this.#ended.abort();
    this.#cameras.end();
    for (const crosshair of this.#crosshairs) crosshair.close();
    for (const { side } of this.#sides) side?.close();
    this.#reading.remove();
    this.#views.classList.remove("planes");
    this.#main.target.setAttribute("aria-label", this.#label);
  }
}
