/**
 * One tile of a plane: its elements as they are decoded, to be read out, and as float32 for the GPU, to be drawn.
 *
 * What is not a number has no colour: it becomes `NO_VALUE`. A NaN would not survive every driver's shader compiler.
 */

import type { Box } from "./tile_grid.js";

export const NO_VALUE = -3.4028234663852886e38;
/** Infinities, and float64 values that float32 cannot hold, are drawn as the ends of the range. */
const LIMIT = 3.3e38;

/** What a read gives: elements of the box at any strides, a bigint array for 64-bit integers. */
export interface Elements {
  readonly length: number;
  readonly [index: number]: number | bigint | boolean;
}

export interface Tile {
  box: Box;
  data: Elements;
  /** Elements from one to the next across, and down. */
  strideX: number;
  strideY: number;
  floats: Float32Array<ArrayBuffer>;
}

/** The element at a place of the plane. */
export function elementAt(
  { box, data, strideX, strideY }: Tile,
  x: number,
  y: number,
): Elements[number] | undefined {
  return data[(y - box.y0) * strideY + (x - box.x0) * strideX];
}

/** The tile as rows of `width` floats, `height` rows: tiles at the end of the plane are padded with `NO_VALUE`. */
export function drawable(
  tile: Omit<Tile, "floats">,
  width: number,
  height: number,
): Float32Array<ArrayBuffer> {
  const { box, data, strideX, strideY } = tile;
  const columns = box.x1 - box.x0;
  const rows = box.y1 - box.y0;
  const floats = new Float32Array(width * height);
  if (columns < width || rows < height) floats.fill(NO_VALUE);
  for (let row = 0; row < rows; row++) {
    const from = row * strideY;
    const to = row * width;
    for (let column = 0; column < columns; column++) {
      const value = Number(data[from + column * strideX]);
      floats[to + column] = Number.isNaN(value) ? NO_VALUE : Math.max(-LIMIT, Math.min(LIMIT, value));
    }
  }
  return floats;
}
