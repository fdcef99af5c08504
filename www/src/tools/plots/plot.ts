/**
 * A plot as plain values: lines or bars over a common axis, made from what was read under marks.
 * `chart.ts` draws it, `plot_texts.ts` and `plot_svg.ts` write it to files, and the panel has it as
 * a table.
 */
import type { Scene } from "../../model/scene/scene.js";
import { coordinateText } from "../../model/scene/value_text.js";
import type { Mark } from "../../model/state/marks.js";
import type { AreaStatistics } from "./read_area.js";
import type { Profile } from "./read_profile.js";
import type { Series } from "./read_series.js";

export interface PlotAxis {
  name: string;
  unit: string;
  /** Whether numbers are seconds since 1970. */
  isTime: boolean;
}

export interface PlotSeries {
  name: string;
  color: string;
  /** Ascending. Of bars, where each of them begins. */
  xs: readonly number[];
  /** Null is a gap. */
  ys: readonly (number | null)[];
  /** The text of each x. */
  texts: readonly string[];
  /** Where the last bar ends. */
  end?: number;
}

export interface Plot {
  kind: "lines" | "bars";
  title: string;
  x: PlotAxis;
  y: PlotAxis;
  series: readonly PlotSeries[];
  /** The x of the index on show. */
  current?: number;
}

/** A mark with its name and colour, and what was read under it. */
export interface Marked<Answer> {
  mark: Mark;
  name: string;
  color: string;
  answer: Answer;
}

const orNull = (value: number | undefined): number | null =>
  value === undefined || !Number.isFinite(value) ? null : value;

/** The axis of values: the channel of an image, or the quantity and its unit. */
function valueAxis({ title, unit, channels }: Scene, channel: number): PlotAxis {
  const own = channels.find(({ index }) => index === channel);
  return { name: own ? own.name : title, unit, isTime: false };
}

function seriesOf({ name, color, answer: { axis, values, remark } }: Marked<Series>): PlotSeries {
  const ys = Array.from(values, orNull);
  const isUp = (axis.numbers[0] ?? 0) <= (axis.numbers.at(-1) ?? 0);
  const turned = <T>(list: readonly T[]): readonly T[] => (isUp ? list : list.toReversed());
  const label = remark ? `${name} (${remark})` : name;
  return { name: label, color, xs: turned(axis.numbers), ys: turned(ys), texts: turned(axis.texts) };
}

/** The series of points and areas along an axis. Null if there are none. */
export function seriesPlot(
  scene: Scene,
  channel: number,
  read: readonly Marked<Series>[],
  index: number,
): Plot | null {
  const axis = read[0]?.answer.axis;
  if (!axis) return null;
  const y = valueAxis(scene, channel);
  return {
    kind: "lines",
    title: `${y.name} along ${axis.name}`,
    x: { name: axis.name, unit: axis.unit, isTime: axis.isTime },
    y,
    series: read.map(seriesOf),
    current: axis.numbers[index],
  };
}

/** The profiles along lines. Null if there are none. */
export function profilePlot(scene: Scene, channel: number, read: readonly Marked<Profile>[]): Plot | null {
  const [first] = read;
  if (!first) return null;
  const y = valueAxis(scene, channel);
  const series = read.map(({ name, color, answer: { distances, values } }): PlotSeries => {
    const step = (distances.at(-1) ?? 1) / Math.max(1, distances.length - 1);
    return {
      name,
      color,
      xs: Array.from(distances),
      ys: Array.from(values, orNull),
      texts: Array.from(distances, (distance) => coordinateText(distance, step)),
    };
  });
  const x = { name: "distance", unit: first.answer.unit || "elements", isTime: false };
  return { kind: "lines", title: `${y.name} along lines`, x, y, series };
}

/** The histograms of areas. Null if there are none. */
export function histogramPlot(
  scene: Scene,
  channel: number,
  read: readonly Marked<AreaStatistics>[],
): Plot | null {
  if (read.length === 0) return null;
  const series = read.map(({ name, color, answer: { counts, window } }): PlotSeries => {
    const [low, high] = window;
    const width = (high - low) / Math.max(1, counts.length);
    const xs = Array.from(counts, (_, at) => low + at * width);
    const edge = (at: number) => coordinateText(low + at * width, width);
    const texts = xs.map((_, at) => `${edge(at)} to ${edge(at + 1)}`);
    return { name, color, xs, ys: Array.from(counts), texts, end: high };
  });
  const x = valueAxis(scene, channel);
  const y = { name: "elements", unit: "", isTime: false };
  return { kind: "bars", title: `Histogram of ${x.name}`, x, y, series };
}

/** A plot as a table: the texts of x in the first column, and a column for each series. */
export interface PlotTable {
  head: readonly string[];
  rows: readonly { x: number; text: string; ys: readonly (number | null)[] }[];
}

export const axisText = ({ name, unit }: PlotAxis): string => (unit ? `${name} (${unit})` : name);

/** All x of all series, ascending, each once. */
export function tableOf({ x, series }: Plot): PlotTable {
  const rows = new Map<number, { x: number; text: string; ys: (number | null)[] }>();
  for (const [at, { xs, ys, texts }] of series.entries()) {
    for (const [idx, own] of xs.entries()) {
      const row = rows.get(own) ?? { x: own, text: texts[idx] ?? String(own), ys: series.map(() => null) };
      row.ys[at] = ys[idx] ?? null;
      rows.set(own, row);
    }
  }
  const sorted = [...rows.values()].sort((one, other) => one.x - other.x);
  return { head: [axisText(x), ...series.map(({ name }) => name)], rows: sorted };
}
