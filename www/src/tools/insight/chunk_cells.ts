/**
 * The chunks of the drawn level that are in view, and the shards that have them: their elements in
 * the plane. Nothing is read.
 */

import type { ViewBox } from "../../map/view_box.js";
import type { ArrayNode, Scene } from "../../model/scene/scene.js";

/** A chunk, or a shard. */
export interface Cell {
  /** Its index in the grid of chunks, or of shards. */
  index: readonly number[];
  /** The first index along the plane's axes, and the one after the last. */
  x: readonly [start: number, stop: number];
  y: readonly [start: number, stop: number];
}

/** A chunk, with one of its elements. */
export interface ChunkCell extends Cell {
  element: readonly number[];
}

export interface CellsInView {
  array: ArrayNode;
  chunks: readonly ChunkCell[];
  /** Empty if the array has no shards. */
  shards: readonly Cell[];
}

/** More are neither drawn nor asked for. */
export const MAX_CELLS = 4000;

/** The elements of a cell along an axis. */
type Span = readonly [start: number, stop: number];

/** Null if there are too many, or if rows and columns are not those of the map. */
export function cellsInView(scene: Scene, box: ViewBox): CellsInView | null {
  const array = scene.pyramid.levels[box.level]?.array ?? scene.array;
  if (scene.warped) return null;
  const at = box.corners[0].map((index) => Math.max(index, 0));
  const channel = scene.channels.find(({ visible }) => visible)?.index;
  const c = scene.axes.find(({ role }) => role === "c")?.axis;
  if (c !== undefined && (box.corners[0][c] ?? 0) < 0) at[c] = channel ?? 0;
  const columns = spansOf(array, scene, box, at, "x");
  const rows = spansOf(array, scene, box, at, "y");
  if (columns.length * rows.length > MAX_CELLS) return null;
  const { x, y } = scene.plane;
  const chunk = array.chunkOf(at);
  const per = (axis: number) =>
    Math.max(1, Math.round((array.shards?.[axis] ?? 1) / (array.chunks[axis] ?? 1)));
  const stored = (index: readonly number[]) =>
    array.shards ? index.map((inner, axis) => Math.floor(inner / per(axis))) : index;
  const cells = rows.flatMap((row) =>
    columns.map((column): ChunkCell => {
      const index = chunk.with(x, column.at).with(y, row.at);
      const element = at.with(x, column.span[0]).with(y, row.span[0]);
      return { index, element, x: column.span, y: row.span };
    }),
  );
  return {
    array,
    chunks: cells,
    shards: array.shards ? shardsOf(cells, stored, array.shards, scene, array) : [],
  };
}

/** The chunks in view along an axis of the plane. */
function spansOf(
  array: ArrayNode,
  { plane, places }: Scene,
  { level, corners: [first, last] }: ViewBox,
  at: readonly number[],
  along: "x" | "y",
): { at: number; span: Span }[] {
  const axis = plane[along];
  const [from = 0, to = 0] = [first[axis], last[axis]];
  const length = array.shape[axis] ?? 1;
  // A world that is drawn from its middle may show both ends.
  const isSplit = along === "x" && (places[level]?.roll ?? 0) > 0 && from > to;
  const [low, high] = isSplit ? [0, length - 1] : [Math.min(from, to), Math.max(from, to)];
  const [start, end] = [low, high].map((index) => array.chunkOf(at.with(axis, index))[axis] ?? 0);
  const spans: { at: number; span: Span }[] = [];
  const chunk = array.chunkOf([...at]);
  let edge = edgeOf(array, chunk, axis, start ?? 0);
  for (let at = start ?? 0; at <= (end ?? 0) && spans.length <= MAX_CELLS; at += 1) {
    const size = array.chunkShapeAt(chunk.with(axis, at))[axis] ?? 1;
    spans.push({ at, span: [edge, Math.min(edge + size, length)] });
    edge += size;
  }
  return spans;
}

/** The first element of a chunk along an axis. Only rectilinear grids have unequal chunks. */
function edgeOf(array: ArrayNode, chunk: readonly number[], axis: number, at: number): number {
  const chunkAt = (index: number) => array.chunkOf(array.shape.map(() => 0).with(axis, index))[axis];
  const usual = at * (array.chunks[axis] ?? 1);
  const isInside = usual < (array.shape[axis] ?? 1);
  if (usual === 0 || (isInside && chunkAt(usual) === at && chunkAt(usual - 1) === at - 1)) return usual;
  let edge = 0;
  for (let before = 0; before < at; before += 1)
    edge += array.chunkShapeAt(chunk.with(axis, before))[axis] ?? 1;
  return edge;
}

/** The shards of chunks. */
function shardsOf(
  chunks: readonly Cell[],
  stored: (index: readonly number[]) => readonly number[],
  shards: readonly number[],
  { plane }: Scene,
  { shape }: ArrayNode,
): Cell[] {
  const found = new Map<string, Cell>();
  const span = (index: readonly number[], axis: number): Span => {
    const size = shards[axis] ?? 1;
    const start = (index[axis] ?? 0) * size;
    return [start, Math.min(start + size, shape[axis] ?? 1)];
  };
  for (const { index } of chunks) {
    const own = stored(index);
    const name = own.join();
    if (!found.has(name)) found.set(name, { index: own, x: span(own, plane.x), y: span(own, plane.y) });
  }
  return [...found.values()];
}
