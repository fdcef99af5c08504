/** What is asked for the plots of marks: for each mark one question, by its kind and the plot. */

import type { Mark, PlotKind } from "../../model/state/marks.js";
import type { Question } from "./answers.js";
import { areaOf, readMeanSeries, readStatistics } from "./read_area.js";
import { readProfile } from "./read_profile.js";
import { readSeries } from "./read_series.js";
import { elementOf, type Subject } from "./selecting.js";

/** The kinds of marks that a plot is about. */
export const MARKS_OF: Record<PlotKind, readonly Mark["kind"][]> = {
  series: ["point", "box", "polygon"],
  profile: ["line"],
  histogram: ["box", "polygon"],
};

export interface Asked extends Subject {
  kind: PlotKind;
  marks: readonly Mark[];
  /** The axis of series; undefined if there is none. */
  along: number | undefined;
}

export const idOf = (kind: PlotKind, { slot }: Mark): string => `${kind} ${slot}`;

/** The indices that an answer depends on. */
function indicesOf({ scene, at, along, kind }: Asked): Record<string, number> {
  const name = kind === "series" && along !== undefined ? scene.axes[along]?.name : undefined;
  return Object.fromEntries(Object.entries(at).filter(([other]) => other !== name));
}

async function pointSeries(asked: Asked, mark: Mark, along: number, signal: AbortSignal, tell: Tell) {
  const element = await elementOf(asked, mark.positions[0] ?? [0, 0], signal);
  return element && readSeries(asked, element, along, { signal, tell });
}

type Tell = (answer: unknown) => void;

async function answerOf(asked: Asked, mark: Mark, signal: AbortSignal, tell: Tell): Promise<unknown> {
  const { kind, along, scene } = asked;
  if (kind === "profile") return readProfile(asked, mark.positions, signal);
  if (kind === "series" && along === undefined) return null;
  if (mark.kind === "point") return pointSeries(asked, mark, along ?? 0, signal, tell);
  const area = await areaOf(scene, mark, signal);
  if (!area) return null;
  if (kind === "histogram") return readStatistics(asked, area, signal);
  return readMeanSeries(asked, area, along ?? 0, { signal, tell });
}

/** Scenes of one picture differ in colours alone, which no answer depends on. */
const sceneKeys = new WeakMap<object, number>();
let scenes = 0;

function keyOfScene(array: object): number {
  const known = sceneKeys.get(array);
  if (known !== undefined) return known;
  scenes += 1;
  sceneKeys.set(array, scenes);
  return scenes;
}

/** The questions of a plot. */
export function questionsOf(asked: Asked): Question[] {
  const { kind, marks, scene, along, channel } = asked;
  return marks
    .filter((mark) => MARKS_OF[kind].includes(mark.kind))
    .map((mark) => ({
      id: idOf(kind, mark),
      key: JSON.stringify([
        keyOfScene(scene.array),
        scene.plane,
        channel,
        kind === "series" ? along : null,
        indicesOf(asked),
        mark.kind,
        mark.positions,
      ]),
      run: (signal, tell) => answerOf(asked, mark, signal, tell),
    }));
}
