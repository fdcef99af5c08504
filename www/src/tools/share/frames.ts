/**
 * What is on the screen for files, at any width: each picture where it is, with its legend, its
 * scale bar and a caption.
 */

import { byId } from "../../widgets/page/element.js";
import {
  captionOf,
  type Indices,
  picturesOf,
  type ViewSnapshot,
  wholeOf,
} from "../../widgets/views/view_snapshot.js";
import { drawCaption, drawLegend, drawScaleBar, type Paper } from "./annotations.js";
import { HiddenPicture } from "./hidden_picture.js";

export interface FrameOptions {
  snapshot: ViewSnapshot;
  /** Width and height of the file in pixels. They have the same ratio as what is seen. */
  size: readonly [width: number, height: number];
  /** Whether legends, scale bars and captions are drawn. */
  isAnnotated: boolean;
  /** Whether the marks on the pictures are drawn. */
  isMarked: boolean;
}

/** The size of a file of this width. Video needs even numbers. */
export function sizeFor([width, height]: readonly [number, number], wanted: number): [number, number] {
  const even = (length: number) => Math.max(2, Math.round(length / 2) * 2);
  return [even(wanted), even((wanted * height) / Math.max(width, 1))];
}

export class Frames {
  readonly canvas = document.createElement("canvas");
  readonly #isAnnotated: boolean;
  readonly #pixel: number;
  readonly #pictures: readonly HiddenPicture[];

  constructor({ snapshot, size, isAnnotated, isMarked }: FrameOptions) {
    [this.canvas.width, this.canvas.height] = size;
    this.#isAnnotated = isAnnotated;
    this.#pixel = size[0] / wholeOf(snapshot)[0];
    this.#pictures = picturesOf(snapshot).map((each) => new HiddenPicture(each, this.#pixel, isMarked));
  }

  async open(): Promise<void> {
    await Promise.all(this.#pictures.map((picture) => picture.open()));
  }

  /**
   * Draws the pictures while the first one has these indices. Rejects if a tile cannot be read.
   */
  async draw(at: Indices): Promise<void> {
    await Promise.all(this.#pictures.map((picture) => picture.draw(picture.snapshot.follow(at))));
    const context = this.canvas.getContext("2d");
    if (!context) throw new Error("This browser has no memory for a picture of this size.");
    context.fillStyle = getComputedStyle(byId("main-view")).backgroundColor;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    for (const picture of this.#pictures) picture.copyTo(context);
    if (this.#isAnnotated) for (const picture of this.#pictures) this.#annotate(context, picture, at);
  }

  #annotate(
    context: CanvasRenderingContext2D,
    { snapshot, area, scaleBar }: HiddenPicture,
    at: Indices,
  ): void {
    const { state, title, hasLegend, follow } = snapshot;
    const paper: Paper = { context, pixel: this.#pixel, area, isDark: state.scene.kind === "image" };
    if (hasLegend) {
      drawLegend(paper, state.scene);
      if (scaleBar) drawScaleBar(paper, scaleBar);
    }
    const caption = [title, captionOf({ ...state, at: follow(at) })].filter((text) => text !== "");
    if (caption.length > 0) drawCaption(paper, caption.join("   "));
  }

  /** Reads what the pictures need at other indices. */
  preload(at: Indices): void {
    for (const picture of this.#pictures) picture.preload(picture.snapshot.follow(at));
  }

  close(): void {
    for (const picture of this.#pictures) picture.close();
  }
}
