/**
 * What the plots are about, and what follows from it: the plot on show, its axis and its channel.
 */
import type { Scene } from "../../model/scene/scene.js";
import { slidAxes } from "../../model/scene/scene_state.js";
import type { Mark, MarkKind, PlotKind, PlotView } from "../../model/state/marks.js";
import { type Asked, MARKS_OF } from "./questions.js";

export interface RoomState {
  scene: Scene;
  at: Readonly<Record<string, number>>;
  marks: readonly Mark[];
  view: PlotView;
  tool: MarkKind | null;
  /** The data set and the node, for files. */
  source: string;
  path: string;
}

const ALL = Object.keys(MARKS_OF) as PlotKind[];

/** The plots that the marks give. A series needs an axis outside of the picture. */
export const kindsOf = ({ scene, marks }: RoomState): PlotKind[] =>
  ALL.filter(
    (kind) =>
      (kind !== "series" || slidAxes(scene).length > 0) &&
      marks.some((mark) => MARKS_OF[kind].includes(mark.kind)),
  );

/** The plot on show: the chosen one if there are marks for it. */
export function kindOf(state: RoomState): PlotKind {
  const kinds = kindsOf(state);
  return kinds.find((kind) => kind === state.view.show) ?? kinds[0] ?? state.view.show ?? "series";
}

/** The plot to show after a mark was drawn: the same if it is about such marks. */
export function kindFor(state: RoomState, kind: MarkKind): PlotKind | undefined {
  const own = kindOf(state);
  return MARKS_OF[own].includes(kind) ? own : ALL.find((name) => MARKS_OF[name].includes(kind));
}

/** What is asked for the plot on show. */
export function askedOf(state: RoomState, elementAt: Asked["elementAt"]): Asked {
  const { scene, at, marks, view } = state;
  const axes = slidAxes(scene);
  const axis =
    axes.find(({ name }) => name === view.axis) ?? axes.find(({ role }) => role === "t") ?? axes[0];
  const { channels } = scene;
  const chosen = channels.find(({ index }) => index === view.channel);
  const channel = chosen ?? channels.find(({ visible }) => visible) ?? channels[0];
  return {
    scene,
    at,
    marks,
    kind: kindOf(state),
    along: axis?.axis,
    channel: channel?.index ?? 0,
    elementAt,
  };
}

/** The tools for a picture. A point has a series. */
export const toolsOf = (scene: Scene): MarkKind[] => [
  ...(slidAxes(scene).length > 0 ? ["point" as const] : []),
  "line",
  "box",
  "polygon",
];

const KEYS = "arrow keys move the picture, Enter takes the place at the cross";

const HINTS: Record<MarkKind, string> = {
  point: `Click points in the picture. With the keyboard, ${KEYS}.`,
  line: `Click along a line; a double click ends it. With the keyboard, ${KEYS}, and Enter twice ends the line.`,
  box: `Click two corners. With the keyboard, ${KEYS}.`,
  polygon: `Click the corners; a double click closes it. With the keyboard, ${KEYS}, and Enter twice closes it.`,
};

/** What the user can do. Empty while plots are on show. */
export function hintOf({ scene, marks, tool }: RoomState): string {
  if (tool) return HINTS[tool];
  if (marks.length > 0) return "";
  const [axis] = slidAxes(scene);
  const series = axis ? `Click the picture for the series along ${axis.name}. ` : "";
  const others = "A line gives a profile, a box or a polygon statistics and a histogram.";
  return scene.places.length > 0 ? series + others : series;
}
