/**
 * The crosshair above one picture: two lines that meet at an element. A click moves it there, a
 * line or the point where they meet can be dragged, and arrow keys move it from element to element.
 */

import Feature from "ol/Feature.js";
import LineString from "ol/geom/LineString.js";
import PointerInteraction from "ol/interaction/Pointer.js";
import VectorLayer from "ol/layer/Vector.js";
import type MapBrowserEvent from "ol/MapBrowserEvent.js";
import { unByKey } from "ol/Observable.js";
import VectorSource from "ol/source/Vector.js";
import Stroke from "ol/style/Stroke.js";
import Style from "ol/style/Style.js";
import type { Picture } from "../../map/picture.js";
import { DIRECTIONS } from "../../widgets/page/keyboard.js";
import { coordinateOf, indexAt, type MapPlane, movedIndex } from "./axis_positions.js";

type Indices = Readonly<Record<string, number>>;

export interface CrosshairOptions {
  picture: Picture;
  /** The element that has the focus when keys move the crosshair. */
  target: HTMLElement;
  plane: MapPlane;
  /** Left, bottom, right and top of the picture. */
  extent: readonly [number, number, number, number];
  /** Moves the crosshair to indices by name of axis. */
  move(indices: Indices): void;
  /** Whether keys and clicks are those of a tool. */
  isBusy(): boolean;
}

/** How near to a line the pointer takes it, in CSS pixels. */
const NEAR = { mouse: 6, touch: 16 };
/** The cursor over a line across the columns or the rows. */
const CURSORS = { x: "ew-resize", y: "ns-resize" };
/** Elements that an arrow key passes with Shift. */
const FAST = 10;

const STYLES = [
  new Style({ stroke: new Stroke({ color: "rgba(0, 0, 0, 0.55)", width: 3 }) }),
  new Style({ stroke: new Stroke({ color: "#ffd54a", width: 1.25 }) }),
];

export class Crosshair {
  readonly #options: CrosshairOptions;
  readonly #lines = { x: new LineString([]), y: new LineString([]) };
  readonly #layer: VectorLayer;
  readonly #drag: PointerInteraction;
  readonly #ended = new AbortController();
  #at: Indices = {};
  /** The lines that are dragged. */
  #grabbed: ("x" | "y")[] = [];

  constructor(options: CrosshairOptions) {
    this.#options = options;
    const { picture, target } = options;
    const features = [this.#lines.x, this.#lines.y].map((line) => new Feature(line));
    this.#layer = new VectorLayer({
      source: new VectorSource({ features, wrapX: false }),
      style: STYLES,
      updateWhileAnimating: true,
      updateWhileInteracting: true,
    });
    this.#layer.setMap(picture.map);
    this.#drag = new PointerInteraction({
      handleDownEvent: (event) => this.#grab(event),
      handleDragEvent: (event) => this.#moveTo(event, this.#grabbed),
      handleUpEvent: () => false,
      handleMoveEvent: (event) => this.#showCursor(event),
    });
    picture.map.addInteraction(this.#drag);
    const click = picture.map.on("click", (event) => {
      const isOther = options.isBusy() || event.originalEvent.shiftKey;
      if (!isOther) this.#moveTo(event, ["x", "y"]);
    });
    this.#ended.signal.addEventListener("abort", () => unByKey(click));
    const { signal } = this.#ended;
    target.addEventListener("keydown", (event) => this.#press(event), { capture: true, signal });
  }

  /** Shows the crosshair at indices. */
  show(at: Indices): void {
    this.#at = at;
    const [x, y] = this.position();
    const [left, bottom, right, top] = this.#options.extent;
    this.#lines.x.setCoordinates([
      [x, bottom],
      [x, top],
    ]);
    this.#lines.y.setCoordinates([
      [left, y],
      [right, y],
    ]);
  }

  /** Where the lines meet on the map. */
  position(): [x: number, y: number] {
    const { x, y } = this.#options.plane;
    return [coordinateOf(x, this.#at[x.name] ?? 0), coordinateOf(y, this.#at[y.name] ?? 0)];
  }

  /** The lines under the pointer. */
  #near({ map, pixel, originalEvent }: MapBrowserEvent): ("x" | "y")[] {
    const [x = 0, y = 0] = map.getPixelFromCoordinate(this.position()) ?? [];
    const [across = 0, down = 0] = pixel;
    const isTouch = (originalEvent as PointerEvent).pointerType === "touch";
    const reach = isTouch ? NEAR.touch : NEAR.mouse;
    const ways: ("x" | "y")[] = [];
    if (Math.abs(across - x) <= reach) ways.push("x");
    if (Math.abs(down - y) <= reach) ways.push("y");
    return ways;
  }

  #grab(event: MapBrowserEvent): boolean {
    this.#grabbed = this.#options.isBusy() ? [] : this.#near(event);
    return this.#grabbed.length > 0;
  }

  #showCursor(event: MapBrowserEvent): void {
    const ways = event.dragging || this.#options.isBusy() ? [] : this.#near(event);
    const [only] = ways;
    this.#setCursor(ways.length === 2 ? "move" : only && CURSORS[only]);
  }

  #setCursor(cursor = ""): void {
    const viewport = this.#options.picture.map.getViewport();
    if (viewport) viewport.style.cursor = cursor;
  }

  #moveTo({ map, pixel }: MapBrowserEvent, ways: readonly ("x" | "y")[]): void {
    const [x = 0, y = 0] = map.getCoordinateFromPixel(pixel) ?? [];
    const [moved, { plane }] = [{ x, y }, this.#options];
    this.#move(Object.fromEntries(ways.map((way) => [plane[way].name, indexAt(plane[way], moved[way])])));
  }

  #press(event: KeyboardEvent): void {
    const { target, plane, isBusy } = this.#options;
    const direction = DIRECTIONS[event.key];
    if (!direction || event.target !== target || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isBusy()) return;
    event.preventDefault();
    event.stopImmediatePropagation(); // the picture would pan
    const [right, down] = direction.map((steps) => steps * (event.shiftKey ? FAST : 1)) as [number, number];
    const { x, y } = plane;
    this.#move({
      ...(right !== 0 && { [x.name]: movedIndex(x, this.#at[x.name] ?? 0, right) }),
      ...(down !== 0 && { [y.name]: movedIndex(y, this.#at[y.name] ?? 0, -down) }),
    });
    this.#reveal();
  }

  #move(indices: Indices): void {
    if (Object.entries(indices).some(([name, index]) => this.#at[name] !== index))
      this.#options.move(indices);
  }

  /** Moves the picture if the crosshair has left it. */
  #reveal(): void {
    const { map } = this.#options.picture;
    const [left = 0, bottom = 0, right = 0, top = 0] = map.getView().calculateExtent(map.getSize());
    const [x, y] = this.position();
    if (x < left || x > right || y < bottom || y > top) map.getView().setCenter([x, y]);
  }

  close(): void {
    this.#ended.abort();
    this.#options.picture.map.removeInteraction(this.#drag);
    this.#setCursor("");
    this.#layer.setMap(null);
    this.#layer.dispose();
  }
}
