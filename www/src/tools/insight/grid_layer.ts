/**
 * The layer of chunks and shards above the picture: coloured cells with lines, and sizes as text.
 */

import Layer from "ol/layer/Layer.js";
import type { FrameState } from "ol/Map.js";
import { apply } from "ol/transform.js";

/** A cell on the map. */
export interface MapCell {
  /** Left, bottom, right and top in map coordinates. */
  extent: readonly [number, number, number, number];
  /** A colour of CSS; none is drawn if it is empty. */
  fill: string;
  /** Whether there is nothing stored. */
  isMissing: boolean;
  text: string;
}

export interface MapCells {
  chunks: readonly MapCell[];
  shards: readonly MapCell[];
}

/** Narrower cells have no text, in CSS pixels. */
const MIN_TEXT_WIDTH = 58;
const MIN_TEXT_HEIGHT = 22;
/** Narrower cells have no lines, which would cover the picture. */
const MIN_LINE_SPACING = 4;

export class GridLayer extends Layer {
  #cells: MapCells = { chunks: [], shards: [] };
  readonly #canvas = document.createElement("canvas");

  constructor() {
    super({ zIndex: 30 });
    this.#canvas.className = "grid-layer";
    this.#canvas.style.cssText =
      "position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none";
  }

  show(cells: MapCells): void {
    this.#cells = cells;
    this.changed();
  }

  /** The source state of a layer without a source. */
  override getSourceState(): "ready" {
    return "ready";
  }

  override render(frameState: FrameState | null): HTMLElement {
    const context = this.#canvas.getContext("2d");
    if (!frameState || !context) return this.#canvas;
    const { pixelRatio, size } = frameState;
    const [width = 0, height = 0] = size;
    this.#canvas.width = Math.round(width * pixelRatio);
    this.#canvas.height = Math.round(height * pixelRatio);
    context.scale(pixelRatio, pixelRatio);
    const boxes = this.#cells.chunks.map((cell) => ({ cell, box: boxOf(cell, frameState) }));
    for (const { cell, box } of boxes) drawCell(context, cell, box);
    context.strokeStyle = "rgb(255 255 255 / 90%)";
    context.lineWidth = 2.5;
    for (const shard of this.#cells.shards) context.strokeRect(...boxOf(shard, frameState));
    return this.#canvas;
  }
}

type Box = [left: number, top: number, width: number, height: number];

function boxOf({ extent: [left, bottom, right, top] }: MapCell, state: FrameState): Box {
  const [x0 = 0, y0 = 0] = apply(state.coordinateToPixelTransform, [left, top]);
  const [x1 = 0, y1 = 0] = apply(state.coordinateToPixelTransform, [right, bottom]);
  return [x0, y0, x1 - x0, y1 - y0];
}

function drawCell(context: CanvasRenderingContext2D, { fill, isMissing, text }: MapCell, box: Box): void {
  const [left, top, width, height] = box;
  if (fill !== "") {
    context.fillStyle = fill;
    context.fillRect(...box);
  }
  if (Math.min(width, height) < MIN_LINE_SPACING) return;
  context.strokeStyle = "rgb(255 255 255 / 65%)";
  context.lineWidth = 1;
  context.strokeRect(...box);
  if (isMissing) {
    context.beginPath();
    context.moveTo(left, top + height);
    context.lineTo(left + width, top);
    context.stroke();
  }
  if (text === "" || width < MIN_TEXT_WIDTH || height < MIN_TEXT_HEIGHT) return;
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineWidth = 3;
  context.strokeStyle = "rgb(0 0 0 / 75%)";
  context.strokeText(text, left + width / 2, top + height / 2);
  context.fillStyle = "#fff";
  context.fillText(text, left + width / 2, top + height / 2);
}
