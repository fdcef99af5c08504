/**
 * Pieces of a series. A read of few elements through many chunks is one part for the package, so a
 * series that is to grow while chunks arrive is asked for in pieces of whole shards or chunks.
 */
import type { ArrayNode } from "../../model/scene/scene.js";

export interface Piece {
  start: number;
  stop: number;
  step: null;
}

/** The pieces along an axis, at most `most`; the nearest to an index come first. */
export function piecesAlong(
  { shape, shards, chunks }: ArrayNode,
  axis: number,
  { most, index }: { most: number; index: number },
): Piece[] {
  const length = shape[axis] ?? 0;
  const unit = Math.max(1, shards?.[axis] ?? chunks[axis] ?? length);
  const step = unit * Math.max(1, Math.ceil(length / unit / most));
  const pieces: Piece[] = [];
  for (let start = 0; start < length; start += step)
    pieces.push({ start, stop: Math.min(start + step, length), step: null });
  const distance = ({ start, stop }: Piece) => Math.abs((start + stop) / 2 - index);
  return pieces.sort((one, other) => distance(one) - distance(other));
}
