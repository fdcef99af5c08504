/**
 * A plot as SVG: with its axes as the chart shows them, its lines and gaps, and the names of its
 * series. PNG is the same picture in pixels.
 */
import type { ChartAxis } from "./chart.js";
import { axisText, type Plot, type PlotSeries } from "./plot.js";

const [WIDTH, HEIGHT] = [840, 440];
const BOX = { left: 78, top: 44, right: 820, bottom: 380 };
const FONT = 'font-family="system-ui, sans-serif"';
/** Pixels of PNG for each of SVG. */
const PNG_SCALE = 2;

type Axes = { x: ChartAxis; y: ChartAxis };

const SIGNS: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Signs that XML forbids, of which one makes the whole picture unreadable. */
const FORBIDDEN = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => SIGNS[sign] ?? sign).replace(FORBIDDEN, "\ufffd");

const rounded = (number: number): string => String(Number(number.toFixed(2)));

const positionOf =
  ({ range: [low, high] }: ChartAxis, from: number, to: number) =>
  (value: number) =>
    from + ((value - low) / (high - low || 1)) * (to - from);

interface Scales {
  across(x: number): number;
  down(y: number): number;
}

/** The path of a series. Bars are steps down to zero. */
function pathOf({ kind }: Plot, { xs, ys, end }: PlotSeries, { across, down }: Scales): string {
  const words: string[] = [];
  let isDrawing = false;
  const step = (command: string, x: number, y: number) =>
    words.push(`${command}${rounded(across(x))} ${rounded(down(y))}`);
  for (const [at, x] of xs.entries()) {
    const y = ys[at] ?? null;
    if (y === null) isDrawing = false;
    else if (kind === "bars") {
      step(at === 0 ? "M" : "L", x, at === 0 ? 0 : y);
      step("L", x, y);
      step("L", xs[at + 1] ?? end ?? x, y);
    } else {
      // A value between two gaps is a dot: a line of no length with a round end.
      if (!isDrawing) step("M", x, y);
      step("L", x, y);
      isDrawing = true;
    }
  }
  if (kind === "bars") step("L", end ?? xs.at(-1) ?? 0, 0);
  return words.join("");
}

function axisLines({ x, y }: Axes, { across, down }: Scales): string {
  const isInside = (at: number, low: number, high: number) => at >= low - 0.5 && at <= high + 0.5;
  const text = (px: number, py: number, anchor: string, words: string) =>
    `<text x="${rounded(px)}" y="${rounded(py)}" text-anchor="${anchor}">${escaped(words)}</text>`;
  const line = (x1: number, y1: number, x2: number, y2: number) =>
    `<path d="M${rounded(x1)} ${rounded(y1)}L${rounded(x2)} ${rounded(y2)}" stroke="#d5dadd"/>`;
  const below = x.ticks.map(({ value, text: words }) => {
    const at = across(value);
    if (!isInside(at, BOX.left, BOX.right)) return "";
    return line(at, BOX.top, at, BOX.bottom) + text(at, BOX.bottom + 18, "middle", words);
  });
  const beside = y.ticks.map(({ value, text: words }) => {
    const at = down(value);
    if (!isInside(at, BOX.top, BOX.bottom)) return "";
    return line(BOX.left, at, BOX.right, at) + text(BOX.left - 8, at + 4, "end", words);
  });
  return [...below, ...beside].join("");
}

function legendOf(series: readonly PlotSeries[]): string {
  let left = BOX.left;
  return series
    .map(({ name, color }) => {
      const item = `<path d="M${left} 28h18" stroke="${color}" stroke-width="3"/><text x="${left + 24}" y="32">${escaped(name)}</text>`;
      left += 44 + 6.6 * name.length;
      return item;
    })
    .join("");
}

/** The picture of a plot whose axes are shown like this. */
export function svgOf(plot: Plot, axes: Axes): string {
  const scales = {
    across: positionOf(axes.x, BOX.left, BOX.right),
    down: positionOf(axes.y, BOX.bottom, BOX.top),
  };
  const lines = plot.series.map((series) => {
    const fill = plot.kind === "bars" ? `${series.color}44` : "none";
    const d = pathOf(plot, series, scales);
    return `<path d="${d}" fill="${fill}" stroke="${series.color}" stroke-width="1.75" stroke-linejoin="round" stroke-linecap="round"/>`;
  });
  const middle = (BOX.top + BOX.bottom) / 2;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" ${FONT} font-size="12" fill="#182125">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
<text x="${BOX.left}" y="16" font-size="13" font-weight="600">${escaped(plot.title)}</text>
${legendOf(plot.series)}
${axisLines(axes, scales)}
<clipPath id="box"><rect x="${BOX.left}" y="${BOX.top - 2}" width="${BOX.right - BOX.left}" height="${BOX.bottom - BOX.top + 4}"/></clipPath>
<g clip-path="url(#box)" fill="none">${lines.join("")}</g>
<path d="M${BOX.left} ${BOX.top}V${BOX.bottom}H${BOX.right}" fill="none" stroke="#55646b"/>
<text x="${(BOX.left + BOX.right) / 2}" y="${HEIGHT - 14}" text-anchor="middle" font-weight="600">${escaped(axisText(plot.x))}</text>
<text transform="translate(16 ${middle}) rotate(-90)" text-anchor="middle" font-weight="600">${escaped(axisText(plot.y))}</text>
</svg>
`;
}

/** The pixels of a picture in SVG. */
export async function pngOf(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [WIDTH * PNG_SCALE, HEIGHT * PNG_SCALE];
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (!blob) throw new Error("The browser cannot make a PNG of this size.");
    return blob;
  } finally {
    URL.revokeObjectURL(url);
  }
}
