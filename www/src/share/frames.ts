/**
 * Pictures of the view for files, at any width: a second, hidden map draws the scene,
 * and the legend, the scale bar and a caption are drawn above it. The view itself does not change.
 */

import { byId } from "../page/element.js";
import { Picture, type PictureState } from "../picture/picture.js";
import { shownMarks } from "../plots/mark_shapes.js";
import type { Mark } from "../plots/marks.js";
import { drawCaption, drawLegend, drawScaleBar, type Paper } from "./annotations.js";

export interface FrameOptions {
  state: PictureState;
  /** Size of the view in CSS pixels. */
  view: readonly [width: number, height: number];
  /** Width and height of the file in pixels. They have the same ratio as the view. */
  size: readonly [width: number, height: number];
  /** Whether the legend and the scale bar are drawn. */
  isAnnotated: boolean;
  /** The marks that are drawn on the picture. */
  marks: readonly Mark[];
}

/** The size of a file of this width. Video needs even numbers. */
export function sizeFor([width, height]: FrameOptions["view"], wanted: number): [number, number] {
  const even = (length: number) => Math.max(2, Math.round(length / 2) * 2);
  return [even(wanted), even((wanted * height) / Math.max(width, 1))];
}

export class Frames {
  readonly canvas = document.createElement("canvas");
  readonly #options: FrameOptions;
  readonly #target = document.createElement("div");
  readonly #picture: Picture;
  #error: unknown;

  constructor(options: FrameOptions) {
    const { view, size } = options;
    this.#options = options;
    [this.canvas.width, this.canvas.height] = size;
    this.#target.className = "unseen-map";
    this.#target.style.width = `${view[0]}px`;
    this.#target.style.height = `${view[1]}px`;
    document.body.append(this.#target);
    this.#picture = new Picture(this.#target, { pixelRatio: size[0] / view[0] });
    this.#picture.setOverlay(shownMarks(options.marks));
    this.#picture.onError = (error) => {
      this.#error = error;
    };
  }

  /** Prepares the map. It draws the level that suits the size of the file. */
  async open(): Promise<void> {
    const { state, view, size } = this.#options;
    await this.#picture.show(state);
    const resolution = (this.#picture.camera().resolution * view[0] * devicePixelRatio) / size[0];
    this.#picture.setLevel(state.level ?? this.#picture.levelFor(resolution));
  }

  /** Draws the picture at these indices on the canvas. Rejects if a tile cannot be read. */
  async draw(at: Record<string, number>, caption: string): Promise<void> {
    const { isAnnotated, state, view, size } = this.#options;
    this.#picture.setAt(at);
    await this.#picture.idle();
    if (this.#error) throw this.#error;
    const context = this.canvas.getContext("2d");
    if (!context) throw new Error("This browser has no memory for a picture of this size.");
    context.fillStyle = getComputedStyle(byId("stage")).backgroundColor;
    context.fillRect(0, 0, ...size);
    this.#picture.drawOn(context);
    if (!isAnnotated) return;
    const paper: Paper = { context, pixel: size[0] / view[0], isDark: state.scene.kind === "image" };
    drawLegend(paper, state.scene);
    const bar = this.#target.querySelector<HTMLElement>(".scale-bar-inner");
    if (bar) drawScaleBar(paper, bar.textContent ?? "", bar.getBoundingClientRect().width);
    if (caption !== "") drawCaption(paper, caption);
  }

  /** Reads what another picture needs. */
  preload(at: Record<string, number>): void {
    // Drawing it reports the error.
    this.#picture.preload(at).catch(() => {});
  }

  close(): void {
    this.#picture.dispose();
    this.#target.remove();
  }
}
