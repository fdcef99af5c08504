/**
 * Draws a plot with uPlot: lines or bars, axes with units and dates, and gaps for missing values.
 */
import "uplot/dist/uPlot.min.css";
import uPlot from "uplot";
import { axisText, type Plot, type PlotAxis, type PlotSeries } from "./plot.js";
import { tickTexts } from "./tick_texts.js";

/** The ticks of an axis and their texts, and the range that it shows. */
export interface ChartAxis {
  range: readonly [low: number, high: number];
  ticks: readonly { value: number; text: string }[];
}

/** What is drawn differently. The values are not part of it. */
const formOf = ({ kind, x, y, series }: Plot): string =>
  JSON.stringify([kind, x, y, series.map(({ name, color }) => [name, color])]);

/** Bars are steps; the last one needs an end. */
function listsOf({ kind }: Plot, { xs, ys, end }: PlotSeries): uPlot.AlignedData {
  if (kind === "lines" || end === undefined) return [[...xs], [...ys]];
  return [
    [...xs, end],
    [...ys, ys.at(-1) ?? null],
  ];
}

/** All series over all x. Where a series has no x, nothing is drawn, and it is no gap. */
function dataOf(plot: Plot): uPlot.AlignedData {
  const lists = plot.series.map((series) => listsOf(plot, series));
  return lists.length === 1 ? (lists[0] as uPlot.AlignedData) : uPlot.join(lists);
}

/** The height of the texts of the x axis in CSS pixels, without its label. */
const X_AXIS_SIZE = 24;

const inUtc = (seconds: number): Date => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC");

export class Chart {
  /** The user has pressed at an x. */
  onPick: (x: number) => void = () => {};
  /** The x under the pointer; null if it has left. */
  onCursor: (x: number | null) => void = () => {};

  #plot: Plot | null = null;
  #form = "";
  /** The label of the y axis, which depends on the height. */
  #label = "";
  #drawn: uPlot | null = null;
  #ticks: { x: ChartAxis["ticks"]; y: ChartAxis["ticks"] } = { x: [], y: [] };

  constructor(readonly element: HTMLElement) {
    new ResizeObserver(() => this.#fit()).observe(element);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#begin());
    element.addEventListener("click", ({ target }) => {
      const { left } = this.#drawn?.cursor ?? {};
      const isInside = target instanceof Element && target.closest(".u-over") !== null;
      if (isInside && left !== undefined && left >= 0) this.onPick(this.#drawn?.posToVal(left, "x") ?? 0);
    });
  }

  /** Shows a plot; nothing if it is null. */
  show(plot: Plot | null): void {
    this.#plot = plot;
    const form = plot ? formOf(plot) : "";
    if (form !== this.#form || !plot) this.#begin();
    else this.#drawn?.setData(dataOf(plot));
  }

  /** The axes as they are drawn. Null if nothing is. */
  axes(): { x: ChartAxis; y: ChartAxis } | null {
    const rangeOf = (scale: "x" | "y") => {
      const { min = 0, max = 1 } = this.#drawn?.scales[scale] ?? {};
      return [min, max] as const;
    };
    const { x, y } = this.#ticks;
    return this.#drawn && { x: { range: rangeOf("x"), ticks: x }, y: { range: rangeOf("y"), ticks: y } };
  }

  #begin(): void {
    this.#drawn?.destroy();
    this.#drawn = null;
    const plot = this.#plot;
    this.#form = plot ? formOf(plot) : "";
    if (plot) this.#drawn = new uPlot(this.#optionsOf(plot), dataOf(plot), this.element);
  }

  #fit(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width <= 0 || height <= 0) return;
    if (this.#plot && this.#label !== labelOf(this.#plot.y, height)) this.#begin();
    else this.#drawn?.setSize({ width, height });
  }

  #optionsOf(plot: Plot): uPlot.Options {
    const { clientWidth: width, clientHeight: height } = this.element;
    this.#label = labelOf(plot.y, height);
    const { color } = getComputedStyle(this.element);
    return {
      width: Math.max(width, 1),
      height: Math.max(height, 1),
      legend: { show: false },
      tzDate: inUtc,
      padding: [8, 12, 0, 0],
      cursor: { drag: { x: true, y: false, setScale: true }, points: { size: 6 } },
      scales: {
        x: { time: plot.x.isTime },
        ...(plot.kind === "bars" && { y: { range: (_u, _min, max) => [0, max > 0 ? max * 1.05 : 1] } }),
      },
      axes: [this.#axis("x", plot.x, color), this.#axis("y", plot.y, color)],
      series: [{}, ...plot.series.map((series) => seriesOptions(plot, series))],
      hooks: {
        setCursor: [
          ({ cursor: { left = -1 }, posToVal }) => this.onCursor(left < 0 ? null : posToVal(left, "x")),
        ],
        draw: [(drawn) => this.#drawCurrent(drawn, color)],
      },
    };
  }

  #axis(name: "x" | "y", axis: PlotAxis, color: string): uPlot.Axis {
    return {
      label: name === "y" ? this.#label : axisText(axis),
      labelSize: 18,
      labelFont: "600 11px system-ui, sans-serif",
      font: "11px system-ui, sans-serif",
      stroke: color,
      grid: { stroke: `color-mix(in srgb, ${color} 14%, transparent)`, width: 1 },
      ticks: { stroke: `color-mix(in srgb, ${color} 30%, transparent)`, width: 1, size: 4 },
      size: name === "y" ? (_u, values) => widthOf(values) : X_AXIS_SIZE,
      values: (_u, splits) => {
        const texts = tickTexts(axis, splits);
        this.#ticks[name] = splits.map((value, at) => ({ value, text: texts[at] ?? "" }));
        return texts;
      },
    };
  }

  /** A line at the index on show. */
  #drawCurrent({ ctx, bbox, valToPos }: uPlot, color: string): void {
    const { current } = this.#plot ?? {};
    if (current === undefined) return;
    const across = Math.round(valToPos(current, "x", true));
    if (across < bbox.left || across > bbox.left + bbox.width) return;
    ctx.save();
    ctx.strokeStyle = color;
    ctx.globalAlpha = 0.6;
    ctx.setLineDash([4, 4]);
    ctx.beginPath();
    ctx.moveTo(across, bbox.top);
    ctx.lineTo(across, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }
}

/** The height of a letter of a label that is turned, and of the axis below, in CSS pixels. */
const LETTER_SIZE = 6.5;
const BELOW = 50;

/** The label of the y axis: if there is no room for all of it, the unit. */
const labelOf = (axis: PlotAxis, height: number): string =>
  axisText(axis).length * LETTER_SIZE > height - BELOW ? axis.unit : axisText(axis);

/** The width of an axis of values with these texts in CSS pixels. */
const widthOf = (texts: readonly string[] | null): number =>
  18 + 7 * Math.max(3, ...(texts ?? []).map(({ length }) => length));

function seriesOptions({ kind }: Plot, { name, color }: PlotSeries): uPlot.Series {
  const isBars = kind === "bars";
  return {
    label: name,
    stroke: color,
    width: isBars ? 1.25 : 1.75,
    ...(isBars && {
      fill: `${color}44`,
      paths: uPlot.paths.stepped?.({ align: 1 }),
      points: { show: false },
    }),
  };
}
