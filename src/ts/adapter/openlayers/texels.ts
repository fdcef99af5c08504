/**
 * Puts the elements of a tile into the order of a texture: rows from the top, columns from the
 * left, with filled edges.
 */
import type { TileLevel, TileSpan } from "./tile_levels.ts";

/** The numbers of one channel of a tile. */
export interface TileElements {
  readonly data: ArrayLike<number | bigint | boolean>;
  /** The index of the first element, and the step to the next. */
  readonly offset: number;
  readonly strideX: number;
  readonly strideY: number;
}

export interface Spans {
  x: TileSpan;
  y: TileSpan;
}

/**
 * Returns the index of the element for each texel of an axis. Texels beyond the elements repeat the
 * last one. `from` and `to` are the range of texels with elements.
 */
export function texels(span: TileSpan, side: number, flipped: boolean, stride: number) {
  const places = new Int32Array(side);
  const count = span.stop - span.start;
  let inside = 0;
  for (let texel = 0; texel < side; texel += 1) {
    const place = (flipped ? span.first - texel : span.first + texel) - span.start;
    if (place >= 0 && place < count) inside += 1;
    places[texel] = Math.min(Math.max(place, 0), count - 1) * stride;
  }
  return { places, from: flipped ? side - inside : 0, to: flipped ? side : inside };
}

/** Whether data is a typed array of numbers. */
const isNumbers = (data: unknown): data is Uint8Array =>
  ArrayBuffer.isView(data) && !(data instanceof BigInt64Array) && !(data instanceof BigUint64Array);

/** Converts elements to 32-bit floats. Loops over one type are faster. */
function floatsOf({ data }: TileElements): Float32Array {
  if (data instanceof Float32Array) return data;
  return isNumbers(data) ? new Float32Array(data) : Float32Array.from(data as ArrayLike<number>, Number);
}

/**
 * Returns the texels of one channel. Beyond the elements they are NaN with `endsAtEdge`; otherwise
 * they repeat the last element.
 */
export function planeOf(
  level: TileLevel,
  spans: Spans,
  elements: TileElements,
  endsAtEdge: boolean,
): Float32Array {
  const { tileWidth, tileHeight } = level;
  const { offset, strideX, strideY } = elements;
  const across = texels(spans.x, tileWidth, level.flipX, strideX);
  const down = texels(spans.y, tileHeight, level.flipY, strideY);
  const plane = new Float32Array(tileWidth * tileHeight);
  const data = floatsOf(elements);
  const isRun = strideX === 1 && !level.flipX && across.to === tileWidth;
  for (let v = 0; v < tileHeight; v += 1) {
    const [row, at] = [offset + (down.places[v] as number), v * tileWidth];
    if (isRun) plane.set(data.subarray(row, row + tileWidth), at);
    else
      for (let u = 0; u < tileWidth; u += 1)
        plane[at + u] = data[row + (across.places[u] as number)] as number;
    if (!endsAtEdge) continue;
    if (v < down.from || v >= down.to) plane.fill(Number.NaN, at, at + tileWidth);
    plane.fill(Number.NaN, at, at + across.from).fill(Number.NaN, at + across.to, at + tileWidth);
  }
  return plane;
}

/** Returns the number at a column and row of a tile. */
export const elementOf = ({ data, offset, strideX, strideY }: TileElements, column: number, row: number) =>
  data[offset + column * strideX + row * strideY];

/** Returns the numbers of a tile in row-major order. */
export function valuesOf({ data, offset, strideX, strideY }: TileElements, { x, y }: Spans) {
  const [width, height] = [x.stop - x.start, y.stop - y.start];
  const values = new Float64Array(width * height);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      values[row * width + column] = Number(data[offset + row * strideY + column * strideX]);
    }
  }
  return values;
}

/** Returns the texels of elements that are colours of four bytes. */
export function colorsOf(
  level: TileLevel,
  spans: Spans,
  { data, offset, strideX, strideY }: TileElements,
): Uint8Array {
  const { tileWidth, tileHeight } = level;
  const across = texels(spans.x, tileWidth, level.flipX, strideX);
  const down = texels(spans.y, tileHeight, level.flipY, strideY);
  const [colors, out] = [data as Uint32Array, new Uint32Array(tileWidth * tileHeight)];
  for (let v = down.from; v < down.to; v += 1) {
    const row = offset + (down.places[v] as number);
    for (let u = across.from; u < across.to; u += 1) {
      out[v * tileWidth + u] = colors[row + (across.places[u] as number)] as number;
    }
  }
  return new Uint8Array(out.buffer);
}
