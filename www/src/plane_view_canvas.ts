/**
 * The picture drawn on a plain canvas, where a browser has no WebGL: slower to change contrast, otherwise the same.
 *
 * Every tile is painted once to a canvas of its own size; panning and zooming only place those.
 */

import type { Colour } from "./colour_map.js";
import type { Range } from "./contrast.js";
import { element } from "./element.js";
import { type Camera, fittingCamera, type Place, type PlaneView, smallestScale } from "./plane_view.js";
import { NO_VALUE, type Tile } from "./tile.js";
import { type Box, tilesIn } from "./tile_grid.js";
import type { TileSource } from "./tile_source.js";

const LARGEST_SCALE = 100;
/** Share of the view that an arrow key moves by. */
const KEY_STEP = 0.15;

export class CanvasPlaneView implements PlaneView {
  onCamera: (camera: Camera) => void = () => {};
  onPointer: (place: Place | null) => void = () => {};
  readonly drawnBy = "canvas, no WebGL here";

  readonly #source: TileSource;
  readonly #canvas = element("canvas");
  #camera: Camera = { x: 0, y: 0, scale: 1 };
  #range: Range = { low: 0, high: 1 };
  #colours: readonly Colour[] = [];
  #painted = new Map<Tile, HTMLCanvasElement>();
  #frame = 0;
  #plane = 0;
  readonly #pointers = new Map<number, Place>();

  constructor(target: HTMLElement, source: TileSource) {
    this.#source = source;
    target.append(this.#canvas);
    new ResizeObserver(() => this.#change()).observe(this.#canvas);
    this.#listenToPointers();
    target.addEventListener("keydown", (event) => this.#key(event));
  }

  showPlane(camera?: Camera): void {
    this.#plane += 1;
    this.#painted.clear();
    this.#camera = camera ?? fittingCamera(this.#source, this.#canvas.clientWidth, this.#canvas.clientHeight);
    this.#change();
  }

  setContrast(range: Range): void {
    this.#range = range;
    this.#painted.clear();
    this.#change();
  }

  setColours(colours: readonly Colour[]): void {
    this.#colours = colours;
    this.#painted.clear();
    this.#change();
  }

  camera(): Camera {
    return this.#camera;
  }

  fit(): void {
    this.#camera = fittingCamera(this.#source, this.#canvas.clientWidth, this.#canvas.clientHeight);
    this.#change();
  }

  zoomBy(factor: number): void {
    this.#zoomAround(this.#camera, factor);
  }

  visibleTiles(): Box {
    const grid = this.#source.grid;
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    if (!grid || width === 0) return { x0: 0, x1: 0, y0: 0, y1: 0 };
    const { x, y, scale } = this.#camera;
    const across = width / 2 / scale;
    const down = height / 2 / scale;
    return tilesIn(grid, { x0: x - across, x1: x + across, y0: y - down, y1: y + down });
  }

  #zoomAround({ x, y }: Place, factor: number): void {
    const { clientWidth, clientHeight } = this.#canvas;
    const smallest = smallestScale(this.#source, clientWidth, clientHeight);
    const old = this.#camera;
    const scale = Math.min(LARGEST_SCALE, Math.max(smallest, old.scale * factor));
    const kept = old.scale / scale;
    this.#moveTo({ x: x + (old.x - x) * kept, y: y + (old.y - y) * kept, scale });
  }

  #moveTo({ x, y, scale }: Camera): void {
    const { width, height } = this.#source.grid?.plane ?? { width: 1, height: 1 };
    this.#camera = { x: Math.max(0, Math.min(width, x)), y: Math.max(0, Math.min(height, y)), scale };
    this.#change();
  }

  /** Draws in the next frame, and asks for the tiles that the camera now sees. */
  #change(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      const visible = this.visibleTiles();
      this.#read(visible);
      this.#source.setVisible(visible);
      this.#draw(visible);
      this.onCamera(this.#camera);
    });
  }

  #read({ x0, x1, y0, y1 }: Box): void {
    const plane = this.#plane;
    const arrived = () => plane === this.#plane && this.#change();
    // What fails is reported by the tile source; here the tile stays empty.
    const missed = () => {};
    const present = new Set(
      this.#source.tilesAtHand({ x0, x1, y0, y1 }).map(({ box }) => `${box.x0},${box.y0}`),
    );
    const tile = this.#source.grid?.tile ?? { width: 1, height: 1 };
    for (let row = y0; row < y1; row++) {
      for (let column = x0; column < x1; column++) {
        if (present.has(`${column * tile.width},${row * tile.height}`)) continue;
        this.#source.read(column, row).then(arrived, missed);
      }
    }
  }

  #draw(visible: Box): void {
    const ratio = window.devicePixelRatio;
    const { clientWidth, clientHeight } = this.#canvas;
    this.#canvas.width = Math.round(clientWidth * ratio);
    this.#canvas.height = Math.round(clientHeight * ratio);
    const context = this.#canvas.getContext("2d");
    if (!context) return;
    const { x, y, scale } = this.#camera;
    const step = scale * ratio;
    context.setTransform(
      step,
      0,
      0,
      step,
      this.#canvas.width / 2 - x * step,
      this.#canvas.height / 2 - y * step,
    );
    context.imageSmoothingEnabled = false;
    for (const tile of this.#source.tilesAtHand(visible)) {
      context.drawImage(this.#paintedTile(tile), tile.box.x0, tile.box.y0);
    }
  }

  #paintedTile(tile: Tile): HTMLCanvasElement {
    const known = this.#painted.get(tile);
    if (known) return known;
    const width = this.#source.grid?.tile.width ?? 1;
    const canvas = element("canvas", { width, height: tile.floats.length / width });
    canvas.getContext("2d")?.putImageData(paint(tile.floats, width, this.#range, this.#colours), 0, 0);
    this.#painted.set(tile, canvas);
    return canvas;
  }

  #listenToPointers(): void {
    const canvas = this.#canvas;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    });
    canvas.addEventListener("pointermove", (event) => this.#pointerMoved(event));
    for (const end of ["pointerup", "pointercancel"] as const) {
      canvas.addEventListener(end, (event) => this.#pointers.delete(event.pointerId));
    }
    canvas.addEventListener("pointerleave", () => this.onPointer(null));
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.#zoomAround(this.#elementAt(event), Math.exp(-event.deltaY / 300));
      },
      { passive: false },
    );
  }

  /** One pointer drags; of two, the change of their distance zooms and the one that moves drags. */
  #pointerMoved(event: PointerEvent): void {
    const before = this.#pointers.get(event.pointerId);
    if (!before) {
      this.onPointer(this.#inside(this.#elementAt(event)));
      return;
    }
    const now = { x: event.offsetX, y: event.offsetY };
    this.#pointers.set(event.pointerId, now);
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const distance = (place: Place) => Math.max(1, Math.hypot(place.x - other.x, place.y - other.y));
      this.#zoomAround(this.#elementAt(event), distance(now) / distance(before));
    }
    const { x, y, scale } = this.#camera;
    const share = scale * (other ? 2 : 1);
    this.#moveTo({ x: x - (now.x - before.x) / share, y: y - (now.y - before.y) / share, scale });
  }

  #elementAt(event: MouseEvent): Place {
    const { x, y, scale } = this.#camera;
    const { clientWidth, clientHeight } = this.#canvas;
    return {
      x: x + (event.offsetX - clientWidth / 2) / scale,
      y: y + (event.offsetY - clientHeight / 2) / scale,
    };
  }

  #inside(place: Place): Place | null {
    const { width, height } = this.#source.grid?.plane ?? { width: 0, height: 0 };
    const { x, y } = { x: Math.floor(place.x), y: Math.floor(place.y) };
    return x >= 0 && y >= 0 && x < width && y < height ? { x, y } : null;
  }

  #key(event: KeyboardEvent): void {
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    };
    const move = moves[event.key];
    if (move) {
      const { x, y, scale } = this.#camera;
      const step = (this.#canvas.clientWidth * KEY_STEP) / scale;
      this.#moveTo({ x: x + move[0] * step, y: y + move[1] * step, scale });
    } else if (event.key === "+" || event.key === "=") this.zoomBy(1.5);
    else if (event.key === "-") this.zoomBy(1 / 1.5);
    else return;
    event.preventDefault();
  }
}

function paint(floats: Float32Array, width: number, range: Range, colours: readonly Colour[]): ImageData {
  const image = new ImageData(width, floats.length / width);
  const pixels = image.data;
  const factor = 255 / (range.high - range.low);
  const none = Math.fround(NO_VALUE);
  for (let index = 0; index < floats.length; index++) {
    const value = floats[index] ?? none;
    if (value === none) continue;
    const step = Math.max(0, Math.min(255, Math.round((value - range.low) * factor)));
    const [red, green, blue] = colours[step] ?? [0, 0, 0];
    pixels[index * 4] = red;
    pixels[index * 4 + 1] = green;
    pixels[index * 4 + 2] = blue;
    pixels[index * 4 + 3] = 255;
  }
  return image;
}
