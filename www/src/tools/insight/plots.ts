/** Small plots of the last minute, one below the other, with their present values as text. */

import "uplot/dist/uPlot.min.css";
import UPlot from "uplot";
import { bytesText, countText } from "../../model/text/numbers.js";
import type { Second } from "./recorder.js";

interface Line {
  name: string;
  /** The name of a colour in the style sheet. */
  color: string;
  of(second: Second): number;
}

/** One plot. */
export interface Plot {
  title: string;
  text(value: number): string;
  /** How the line of present values says the sum or the last value. */
  lines: readonly Line[];
  isSum: boolean;
  /** The value at the top, at least. */
  top?: number;
}

const milliseconds = (value: number) => `${countText(Math.round(value))} ms`;

/** The plots of these seconds. The lines of decoding are those of the codecs that were used. */
export function plotsOf(seconds: readonly Second[]): Plot[] {
  const { keptLimit = 0 } = seconds.at(-1) ?? {};
  const codecs = [...new Set(seconds.flatMap(({ decodeMs }) => Object.keys(decodeMs)))].slice(
    0,
    COLORS.length,
  );
  const line = (name: string, of: Line["of"], at = 0): Line => ({ name, of, color: COLORS[at] ?? "" });
  return [
    {
      title: "Requests",
      text: countText,
      isSum: true,
      top: 4,
      lines: [line("sent", ({ requests }) => requests), line("cancelled", ({ cancelled }) => cancelled, 1)],
    },
    { title: "Received", text: bytesText, isSum: true, top: 1024, lines: [line("", ({ bytes }) => bytes)] },
    {
      title: "Caches",
      text: countText,
      isSum: true,
      top: 4,
      lines: [line("hits", ({ hits }) => hits, 2), line("misses", ({ misses }) => misses, 1)],
    },
    {
      title: "Decoding",
      text: milliseconds,
      isSum: true,
      top: 50,
      lines: codecs.map((name, at) => line(name || "cancelled", ({ decodeMs }) => decodeMs[name] ?? 0, at)),
    },
    { title: "Workers", text: countText, isSum: false, top: 2, lines: [line("", ({ workers }) => workers)] },
    {
      title: "Memory of the caches",
      text: (value) => `${bytesText(value)} of ${bytesText(keptLimit)}`,
      isSum: false,
      top: keptLimit,
      lines: [line("", ({ keptBytes }) => keptBytes)],
    },
    {
      title: "Stalls",
      text: milliseconds,
      isSum: true,
      top: 200,
      lines: [
        line("waiting for tiles", ({ waitingMs }) => waitingMs),
        line("page blocked", ({ blockedMs }) => blockedMs, 1),
      ],
    },
  ];
}

const COLORS = ["--line-1", "--line-2", "--line-3", "--line-4"];
const HEIGHT = 56;
const SECONDS = 60;

/** What a plot shows, as a sentence. */
export function plotText({ lines, isSum, text }: Plot, seconds: readonly Second[]): string {
  const counted = isSum ? seconds : seconds.slice(-1);
  const parts = lines.map(({ name, of }) => {
    const value = counted.reduce((sum, second) => sum + of(second), 0);
    return name === "" ? text(value) : `${name} ${text(value)}`;
  });
  return parts.join(", ") || "none";
}

/** The colour of a custom property, as a canvas takes it. */
function colorOf(element: HTMLElement, property: string): string {
  element.style.color = `var(${property})`;
  return getComputedStyle(element).color;
}

/** Draws plots into elements, and keeps them from one second to the next. */
export class DrawnPlots {
  readonly #drawn = new Map<HTMLElement, { plot: UPlot; key: string }>();

  draw(element: HTMLElement, { lines, top = 1 }: Plot, seconds: readonly Second[]): void {
    const end = seconds.at(-1)?.time ?? SECONDS;
    const data: UPlot.AlignedData = [
      seconds.map(({ time }) => time - end),
      ...lines.map(({ of }) => seconds.map(of)),
    ];
    const width = Math.max(element.clientWidth, 60);
    const key = [width, ...lines.map(({ name, color }) => `${name} ${colorOf(element, color)}`)].join();
    const before = this.#drawn.get(element);
    if (before?.key === key) {
      before.plot.setData(data);
      return;
    }
    before?.plot.destroy();
    this.#drawn.set(element, {
      plot: new UPlot(optionsOf(element, { lines, top, width }), data, element),
      key,
    });
  }
}

function optionsOf(
  element: HTMLElement,
  { lines, top, width }: { lines: readonly Line[]; top: number; width: number },
): UPlot.Options {
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    padding: [3, 0, 3, 0],
    axes: [{ show: false }, { show: false }],
    scales: {
      x: { time: false, range: [-SECONDS, 0] },
      y: { range: (_plot, _low, high) => [0, Math.max(high ?? 0, top)] },
    },
    series: [{}, ...lines.map(({ color }, at) => seriesOf(colorOf(element, color), at))],
  };
}

const seriesOf = (stroke: string, at: number): UPlot.Series => ({
  stroke,
  width: 1.5,
  ...(at === 0 && { fill: stroke.replace(/^rgb\((.*)\)$/, "rgba($1, 0.18)") }),
  points: { show: false },
});
