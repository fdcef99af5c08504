/** Selections of what lies under a mark: along an axis, at one index of the others. */
import { type AnySelection, levelIndices } from "zarr-wasm";
import type { Scene } from "../../model/scene/scene.js";
import type { Position } from "../../model/state/marks.js";
import { type Element, elementAt, mapLevels, stored } from "./elements_under.js";

/** An index, a range, a list of indices, or null for all. */
export type Entry = number | { start: number; stop: number; step: null } | readonly number[] | null;

/** What is asked about a scene: at these indices of its axes, of one channel. */
export interface Subject {
  scene: Scene;
  /** Indices of the finest level by name of axis. */
  at: Readonly<Record<string, number>>;
  channel: number;
  /** The column and row of the finest array at a position, where these are not those of the map. */
  elementAt(position: Position, signal: AbortSignal): Promise<Element | null>;
}

interface Chosen {
  level: number;
  x: Entry;
  y: Entry;
  /** The axis of a series, and what is selected of it. */
  along?: { axis: number; entry: Entry };
}

/** The selection of a level. */
export function selectionOf({ scene, at, channel }: Subject, { level, x, y, along }: Chosen): AnySelection {
  const { axes, plane, channels } = scene;
  const isChannels = (role: string) => role === "c" && channels.length > 0;
  const given = axes.map(({ name, role }) => (isChannels(role) ? channel : (at[name] ?? 0)));
  const { axes: own, levels } = scene.pyramid;
  const indices = levelIndices({ axes: own, levels, plane }, level, given);
  const selected = axes.map(({ axis }): Entry => {
    if (axis === plane.x) return x;
    if (axis === plane.y) return y;
    return axis === along?.axis ? along.entry : (indices[axis] ?? 0);
  });
  return selected as AnySelection;
}

/** The column and row of the finest array at a position. Null outside of it. */
export async function elementOf(
  subject: Subject,
  position: Position,
  signal: AbortSignal,
): Promise<Element | null> {
  const [finest] = mapLevels(subject.scene);
  if (!finest) return subject.elementAt(position, signal);
  const drawn = elementAt(finest, position);
  return drawn && { column: stored(finest, drawn.column), row: drawn.row };
}
