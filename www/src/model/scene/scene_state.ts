/**
 * What is chosen of a scene: its colours, and the indices of its axes. It knows nothing of URLs.
 */

import {
  atMost,
  type FieldStyle,
  MAX_LABELS,
  MAX_MIXED,
  type Scene,
  type SceneAxis,
  type SceneChannel,
} from "./scene.js";

export type ChannelState = Pick<SceneChannel, "index" | "color" | "window" | "gamma" | "visible">;

/** The colours that are chosen of a scene. */
export interface SceneStyle {
  channels?: ChannelState[];
  /** The colours of a field, its limits, or both. */
  field?: Partial<FieldStyle>;
  /** Opacity by path. Other labels are hidden. */
  labels?: Record<string, number>;
}

/** The scene with the colours of a state. Unknown names and indices are ignored. */
export function styledScene(scene: Scene, { channels = [], field, labels }: SceneStyle): Scene {
  const wanted = new Map(channels.map((channel) => [channel.index, channel]));
  const styled = scene.channels.map((channel, at, { length }) => {
    const name = channel.name || (length === 1 ? "Intensity" : `Channel ${at + 1}`);
    return { ...channel, name, ...wanted.get(channel.index) };
  });
  const laid = scene.labels.map((label) => {
    if (!labels) return label;
    const opacity = labels[label.path];
    return { ...label, visible: opacity !== undefined, opacity: opacity ?? label.opacity };
  });
  return {
    ...scene,
    channels: atMost(styled, MAX_MIXED),
    ...(scene.field && { field: { ...scene.field, ...field } }),
    labels: atMost(laid, MAX_LABELS),
  };
}

/**
 * The index of every axis: from the state, else from the same axis of the previous scene, else from
 * the scene.
 */
export function indicesOf(
  scene: Scene,
  wanted: Record<string, number> = {},
  before: { axes: readonly SceneAxis[]; at: Record<string, number> } | null = null,
): Record<string, number> {
  const kept = ({ name, length }: SceneAxis) =>
    before?.axes.some((axis) => axis.name === name && axis.length === length) ? before.at[name] : undefined;
  return Object.fromEntries(
    scene.axes.map((axis) => {
      // The index of an axis in the plane is used after a change of the plane.
      const start = axis.role === "x" || axis.role === "y" ? Math.floor(axis.length / 2) : axis.start;
      const index = wanted[axis.name] ?? kept(axis) ?? start;
      return [axis.name, Math.max(0, Math.min(index, axis.length - 1))];
    }),
  );
}

/** Whether two scenes have the same plane, so that a view of one also fits the other. */
export function isSamePlane(one: Scene, other: Scene): boolean {
  const drawn = ({ axes, plane, space }: Scene) =>
    JSON.stringify([[plane.x, plane.y].map((at) => [axes[at]?.name, axes[at]?.length]), space]);
  return drawn(one) === drawn(other);
}

/** The axes that can be drawn or have a slider: all with elements to choose from but channels. */
export const freeAxes = ({ axes, kind }: Scene): SceneAxis[] =>
  axes.filter(({ length, role }) => length > 1 && (role !== "c" || kind === "field" || kind === "labels"));

/** The axes with sliders. */
export const slidAxes = (scene: Scene): SceneAxis[] =>
  freeAxes(scene).filter(({ axis }) => axis !== scene.plane.x && axis !== scene.plane.y);
