/**
 * What the plots are about, and what follows from it: the plot on show, its axis and its channel.
 */
import type { Scene } from "../../model/scene/scene.js";
import { slidAxes } from "../../model/scene/scene_state.js";
import type { Mark, MarkKind, PlotChoice, PlotKind } from "../../model/state/marks.js";
import { type Asked, MARKS_OF } from "./questions.js";

/** The picture that is plotted. */
export interface PlottedScene {
  scene: Scene;
  /** The indices by name of axis. */
  at: Readonly<Record<string, number>>;
  /** The data set and the node, for files. */
  source: string;
  path: string;
}

export interface PlotsContent extends PlottedScene {
  marks: readonly Mark[];
  choice: PlotChoice;
  tool: MarkKind | null;
}

const ALL = Object.keys(MARKS_OF) as PlotKind[];

/** The plots that the marks give. A series needs an axis outside of the picture. */
export const kindsOf = ({ scene, marks }: PlotsContent): PlotKind[] =>
  ALL.filter(
    (kind) =>
      (kind !== "series" || slidAxes(scene).length > 0) &&
      marks.some((mark) => MARKS_OF[kind].includes(mark.kind)),
  );

/** The plot on show: the chosen one if there are marks for it. */
export function kindOf(content: PlotsContent): PlotKind {
  const kinds = kindsOf(content);
  return kinds.find((kind) => kind === content.choice.show) ?? kinds[0] ?? content.choice.show ?? "series";
}

/** The plot to show after a mark was drawn: the same if it is about such marks. */
export function kindFor(content: PlotsContent, kind: MarkKind): PlotKind | undefined {
  const own = kindOf(content);
  return MARKS_OF[own].includes(kind) ? own : ALL.find((name) => MARKS_OF[name].includes(kind));
}

/** What is asked for the plot on show. */
export function askedOf(content: PlotsContent, elementAt: Asked["elementAt"]): Asked {
  const { scene, at, marks, choice } = content;
  const axes = slidAxes(scene);
  const axis =
    axes.find(({ name }) => name === choice.axis) ?? axes.find(({ role }) => role === "t") ?? axes[0];
  const { channels } = scene;
  const chosen = channels.find(({ index }) => index === choice.channel);
  const channel = chosen ?? channels.find(({ visible }) => visible) ?? channels[0];
  return {
    scene,
    at,
    marks,
    kind: kindOf(content),
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
export function hintOf({ scene, marks, tool }: PlotsContent): string {
  if (tool) return HINTS[tool];
  if (marks.length > 0) return "";
  const [axis] = slidAxes(scene);
  const series = axis ? `Click the picture for the series along ${axis.name}. ` : "";
  const others = "A line gives a profile, a box or a polygon statistics and a histogram.";
  return scene.places.length > 0 ? series + others : series;
}
