/** The plot of what has been read so far, and the rows of the list of marks. */
import { valueText, withUnit } from "../../model/scene/value_text.js";
import { colorOf, nameOf } from "../../model/state/marks.js";
import { explain } from "../../model/text/errors.js";
import type { Answer, Answers } from "./answers.js";
import type { MarkRow } from "./panel.js";
import { histogramPlot, type Marked, type Plot, type PlotSeries, profilePlot, seriesPlot } from "./plot.js";
import { type Asked, idOf, MARKS_OF } from "./questions.js";
import type { AreaStatistics } from "./read_area.js";
import type { Profile } from "./read_profile.js";
import type { Series } from "./read_series.js";

const marksOf = ({ kind, marks }: Asked) => marks.filter((mark) => MARKS_OF[kind].includes(mark.kind));

/** The marks under which something has been read. */
export function answered<T>(asked: Asked, answers: Answers): Marked<T>[] {
  return marksOf(asked).flatMap((mark) => {
    const value = answers.at(idOf(asked.kind, mark))?.value ?? null;
    if (value === null) return [];
    return [{ mark, name: nameOf(mark, asked.marks), color: colorOf(mark), answer: value as T }];
  });
}

/** The plot. Null if nothing is there yet. */
export function plotOf(asked: Asked, answers: Answers): Plot | null {
  const { kind, scene, channel, along, at } = asked;
  if (kind === "profile") return profilePlot(scene, channel, answered<Profile>(asked, answers));
  if (kind === "histogram") return histogramPlot(scene, channel, answered<AreaStatistics>(asked, answers));
  const index = at[scene.axes[along ?? 0]?.name ?? ""] ?? 0;
  return seriesPlot(scene, channel, answered<Series>(asked, answers), index);
}

/** The rows of marks, with their values at an x. */
export function rowsOf(asked: Asked, answers: Answers, plot: Plot | null, x: number | null): MarkRow[] {
  const unit = asked.kind === "histogram" ? "" : asked.scene.unit;
  return marksOf(asked).map((mark) => {
    const answer = answers.at(idOf(asked.kind, mark));
    const color = colorOf(mark);
    const series = plot?.series.find((own) => own.color === color);
    return {
      slot: mark.slot,
      name: nameOf(mark, asked.marks),
      color,
      value: x === null ? "" : valueTextAt(series, x, unit),
      note: noteOf(answer),
      statistics: (asked.kind === "histogram" && (answer?.value as AreaStatistics | null)) || undefined,
    };
  });
}

function noteOf(answer: Answer | undefined): string {
  if (!answer) return "";
  if (answer.error !== undefined) return explain(answer.error, null).detail;
  if (answer.value === null) return "outside of the picture";
  const { level = 0, share } = (answer.value ?? {}) as { level?: number; share?: number };
  if (answer.isReading) return share === undefined ? "reading…" : `reading… ${Math.round(share * 100)} %`;
  return level > 0 ? `read in level ${level}` : "";
}

/** The index of the nearest number. */
export function nearest(numbers: readonly number[], wanted: number): number {
  let best = 0;
  for (const [at, number] of numbers.entries())
    if (Math.abs(number - wanted) < Math.abs((numbers[best] ?? 0) - wanted)) best = at;
  return best;
}

function valueTextAt(series: PlotSeries | undefined, x: number, unit: string): string {
  const y = series?.ys[nearest(series.xs, x)];
  if (y === undefined) return "";
  return y === null ? "no data" : withUnit(valueText(y, "float32"), unit);
}

/** The text of the x of a plot that is nearest. */
export function xTextAt(plot: Plot | null, x: number | null): string {
  const [series] = plot?.series ?? [];
  return series && x !== null ? (series.texts[nearest(series.xs, x)] ?? "") : "";
}
