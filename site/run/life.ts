/**
 * A picture that answers: one read on a time axis, from the call on the page to its result. The
 * trace is that of a read which has just happened in this page.
 */

import type { TraceRecord } from "./recorder.ts";
import { rangeText } from "./request_text.ts";
import { isOfSamples, onRecord, sampleUrl, setUp, zarr } from "./site_package.ts";

/** Something that happened between two times, in ms since 1970. */
interface Span {
  lane: Lane;
  start: number;
  end: number;
  text: string;
}

const LANES = ["page", "engine", "decoder", "line"] as const;
type Lane = (typeof LANES)[number];

const COLOURS: Record<Lane, string> = {
  page: "#7c4dff",
  engine: "#0e7c86",
  decoder: "#c77700",
  line: "#4f7d2f",
};
const WHAT: Record<Lane, string> = {
  page: "the page waits for its result, and is free meanwhile",
  engine: "the engine's worker plans, gathers ranges, and assembles",
  decoder: "a decode worker decodes chunks into the result",
  line: "requests on the line",
};

setUp({ light: false });

const records: TraceRecord[] = [];
onRecord((record) => records.push(record));

const now = () => performance.timeOrigin + performance.now();

/** The spans of the lanes of workers, and of the line. */
function spanOf(record: TraceRecord): Span | undefined {
  const { start, end } = record;
  if (record.kind === "work")
    return { lane: record.thread as Lane, start, end, text: WHAT[record.thread as Lane] };
  if (!isOfSamples(record)) return undefined;
  const name = record.url.split("/").slice(-3).join("/");
  return {
    lane: "line",
    start,
    end,
    text: `${name}, bytes ${rangeText(record.range)}: ${record.bytes} bytes, first byte after ${(record.answered - start).toFixed(1)} ms`,
  };
}

/** Reads once more, past all caches. Resolves to the spans of the read. */
async function traced(): Promise<Span[]> {
  const array = await zarr.open(sampleUrl("layouts.zarr/shards"), { kind: "array" });
  await zarr.preload();
  records.length = 0;
  const start = now();
  await array.get({ y: zarr.slice(200, 700), x: zarr.slice(200, 700) }, { cache: "reload" });
  const end = now();
  await new Promise((resolve) => setTimeout(resolve, 100));
  const spans = records.flatMap((record) => spanOf(record) ?? []);
  const own: Span = { lane: "page", start, end, text: WHAT.page };
  return [own, ...spans.filter((span) => span.end > start && span.start < end)];
}

const SVG = "http://www.w3.org/2000/svg";

function shape(name: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, String(value));
  if (text) element.textContent = text;
  return element;
}

const [WIDTH, LEFT, ROW, BAR] = [900, 70, 20, 14];

/** Rows for the spans of a lane, so that no two spans of a row overlap. */
function rowsOf(spans: readonly Span[]): Span[][] {
  const rows: Span[][] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const row = rows.find((list) => (list.at(-1)?.end ?? 0) <= span.start);
    if (row) row.push(span);
    else rows.push([span]);
  }
  return rows;
}

function drawTrace(spans: readonly Span[]): SVGElement {
  const begin = spans[0]?.start ?? 0;
  const duration = Math.max(...spans.map(({ end }) => end)) - begin;
  const place = (time: number) => LEFT + (Math.max(time - begin, 0) / duration) * (WIDTH - LEFT - 10);
  const parts: SVGElement[] = [];
  let y = 8;
  for (const lane of LANES) {
    const rows = rowsOf(spans.filter((span) => span.lane === lane));
    parts.push(shape("text", { x: 0, y: y + 11 }, lane));
    for (const row of rows.length > 0 ? rows : [[]]) {
      for (const { start, end, text } of row) {
        const width = Math.max(place(end) - place(start), 1.5);
        const bar = shape("rect", { x: place(start), y, width, height: BAR, rx: 2, fill: COLOURS[lane] });
        bar.append(
          shape("title", {}, `${(start - begin).toFixed(1)}–${(end - begin).toFixed(1)} ms: ${text}`),
        );
        parts.push(bar);
      }
      y += ROW;
    }
    y += 6;
  }
  const step = 10 ** Math.floor(Math.log10(duration)) / (duration < 20 ? 1 : 2) || 1;
  for (let time = 0; time <= duration; time += Math.max(step, duration / 8)) {
    parts.push(
      shape("text", { x: place(begin + time), y: y + 12, "text-anchor": "middle" }, `${time.toFixed(0)} ms`),
    );
  }
  const svg = shape("svg", {
    viewBox: `0 0 ${WIDTH} ${y + 20}`,
    width: "100%",
    role: "img",
    "aria-label": "The read on a time axis; the table below has the same",
  });
  svg.append(...parts);
  return svg;
}

/** The spans as a table: what happened, from when to when. */
function fillTable(spans: readonly Span[]): void {
  const begin = spans[0]?.start ?? 0;
  const rows = [...spans]
    .sort((a, b) => a.start - b.start)
    .map(({ lane, start, end, text }) => {
      const row = document.createElement("tr");
      const times = [start, end].map((time) => Math.max(time - begin, 0).toFixed(1)).join("–");
      for (const cell of [lane, `${times} ms`, text]) row.insertCell().textContent = cell;
      return row;
    });
  document.querySelector("#steps")?.replaceChildren(...rows);
}

async function show(): Promise<void> {
  const answer = document.querySelector("#answer");
  try {
    const spans = await traced();
    const [own] = spans;
    document.querySelector("#trace")?.replaceChildren(drawTrace(spans));
    fillTable(spans);
    const requests = spans.filter(({ lane }) => lane === "line").length;
    if (answer && own)
      answer.textContent = `500 × 500 elements of 4 shards: ${requests} requests, ${(own.end - own.start).toFixed(0)} ms from the call to the result.`;
  } catch (error) {
    if (answer) answer.textContent = String(error);
  }
}

document.querySelector("#again")?.addEventListener("click", show);
await show();
await show(); // the first read also started the workers
