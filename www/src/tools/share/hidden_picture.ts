/**
 * A second, hidden map that draws a picture of the screen for a file, at any size. The picture on
 * the screen does not change.
 */

import { marksLayer } from "../../map/mark_shapes.js";
import { Picture } from "../../map/picture.js";
import type { Indices, PictureSnapshot } from "../../widgets/views/view_snapshot.js";
import type { Area } from "./annotations.js";

export class HiddenPicture {
  readonly snapshot: PictureSnapshot;
  readonly canvas = document.createElement("canvas");
  readonly #target = document.createElement("div");
  readonly #picture: Picture;
  /** Pixels of the file for each CSS pixel. */
  readonly #pixel: number;
  #error: unknown;

  constructor(snapshot: PictureSnapshot, pixel: number, hasMarks: boolean) {
    const [width, height] = snapshot.size;
    [this.snapshot, this.#pixel] = [snapshot, pixel];
    [this.canvas.width, this.canvas.height] = [Math.round(width * pixel), Math.round(height * pixel)];
    this.#target.className = "unseen-map";
    this.#target.style.width = `${width}px`;
    this.#target.style.height = `${height}px`;
    document.body.append(this.#target);
    this.#picture = new Picture(this.#target, { pixelRatio: pixel });
    this.#picture.setOverlay(marksLayer(hasMarks ? snapshot.marks : []));
    this.#picture.onError = (error) => {
      this.#error = error;
    };
  }

  /** Prepares the map. It draws the level that suits the size of the file. */
  async open(): Promise<void> {
    const { state } = this.snapshot;
    await this.#picture.show(state);
    const resolution = (this.#picture.camera().resolution * devicePixelRatio) / this.#pixel;
    this.#picture.setLevel(state.level ?? this.#picture.levelFor(resolution));
  }

  /** Draws the picture on its canvas. Rejects if a tile cannot be read. */
  async draw(at: Indices): Promise<void> {
    this.#picture.setAt({ ...at });
    await this.#picture.idle();
    if (this.#error) throw this.#error;
    const context = this.canvas.getContext("2d");
    if (!context) throw new Error("This browser has no memory for a picture of this size.");
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.#picture.drawOn(context);
  }

  /** The part of the file in which it is seen, in CSS pixels. */
  get area(): Area {
    const { size, corner, visible } = this.snapshot;
    const [[width, height], [left, top], [from, to]] = [size, corner, visible];
    return { left: left + from * width, top, width: (to - from) * width, height };
  }

  /** Copies what is seen of it to where it lies in the file. */
  copyTo(context: CanvasRenderingContext2D): void {
    const { left, top, width } = this.area;
    const [from, across] = [this.snapshot.visible[0] * this.canvas.width, width * this.#pixel];
    const { height } = this.canvas;
    if (across >= 1)
      context.drawImage(
        this.canvas,
        ...([from, 0, across, height] as const),
        ...([left * this.#pixel, top * this.#pixel, across, height] as const),
      );
  }

  /** The text and the length in CSS pixels of the scale bar. Null if there is none. */
  get scaleBar(): { text: string; length: number } | null {
    const bar = this.#target.querySelector<HTMLElement>(".scale-bar-inner");
    return bar && { text: bar.textContent ?? "", length: bar.getBoundingClientRect().width };
  }

  /** Reads what another picture needs. */
  preload(at: Indices): void {
    // Drawing it reports the error.
    this.#picture.preload({ ...at }).catch(() => {});
  }

  close(): void {
    this.#picture.dispose();
    this.#target.remove();
  }
}
