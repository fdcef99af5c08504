/**
 * The benchmark's medians as bar charts in docs/pictures, of the tables of `benches/RESULTS.md`: a
 * chart a group of rows in which both sides were measured. A chart has no colours of its own but
 * one, and no background, so that it fits light and dark pages.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PICTURES = "docs/pictures";

/** The groups, their rows, and the other side by its column. The first column that has a figure counts. */
const ZARRITA = ["zarrita tuned", "zarrita"];
const PLOTS = [
  { group: "codecs, node", title: "Decoding one chunk, Node", others: ["numcodecs.js"] },
  { group: "codecs, chromium", title: "Decoding one chunk, Chromium", others: ["numcodecs.js"] },
  { group: "whole, node", title: "Reading a whole array of 32 MiB, Node", others: ZARRITA },
  { group: "whole, chromium", title: "Reading a whole array of 32 MiB, Chromium", others: ZARRITA },
  { group: "http, chromium", title: "Reading over HTTP, Chromium", others: ZARRITA },
  { group: "planes, chromium", title: "Planes of a volume over HTTP, Chromium", others: ZARRITA },
  { group: "open, chromium", title: "Opening, Chromium", others: ZARRITA },
  {
    group: "big, chromium",
    title: "Large stores, Chromium",
    others: ZARRITA,
    rows: /nodes, open|chunks (in|over)/,
  },
  { group: "cold", title: "From an empty page to the first elements", others: ZARRITA, rows: /^(no|20|60)/ },
  {
    group: "main_thread, chromium",
    title: "Work of the page's thread, Chromium",
    others: ZARRITA,
    rows: /^(?!nothing).*: work$/,
  },
  {
    group: "main_thread, firefox",
    title: "Longest gap of the page's thread, Firefox",
    others: ZARRITA,
    rows: /^(?!nothing).*: longest gap$/,
  },
  {
    group: "main_thread, webkitgtk",
    title: "Longest gap of the page's thread, WebKitGTK",
    others: ZARRITA,
    rows: /^(?!nothing).*: longest gap$/,
  },
  { group: "warp, chromium", title: "Drawing a plane on a map, Chromium", others: ["proj4 for each pixel"] },
];

const cellsOf = (line) =>
  line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());

/** The tables below `### <group>`: `{ columns, rows: [[label, ...cells]] }`. */
export function tablesOf(text) {
  const sections = text.split(/^### /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [group, ...rest] = section.split("\n");
      const [head, , ...rows] = rest.filter((line) => line.startsWith("|")).map(cellsOf);
      return [group.trim(), { columns: head ?? [], rows }];
    }),
  );
}

/** A median in ms; what stands behind it are requests and bytes. Rows of other units have brackets. */
const milliseconds = (cell) => (cell ? Number.parseFloat(cell) : undefined);

/** `[{ label, sides: [[name, ms], [name, ms]] }]` of the rows in which both sides have a figure. */
function barsOf({ columns, rows }, { others, rows: wanted = /./ }) {
  const at = (row, name) => milliseconds(row[columns.indexOf(name)]);
  return rows
    .filter(([label]) => wanted.test(label) && !label.includes("["))
    .map((row) => {
      const other = others.find((name) => at(row, name) > 0);
      return { label: row[0], other, sides: [at(row, other), at(row, "ours")] };
    })
    .filter(({ other, sides }) => other && sides[1] > 0);
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const WIDTH = 720;
const BARS = { left: 330, width: 310, height: 11, row: 38 };

function bar(value, most, y, isOurs) {
  const width = Math.max(1, (BARS.width * value) / most).toFixed(1);
  const fill = isOurs ? `fill="#3b82f6"` : `fill="currentColor" opacity="0.7"`;
  const end = BARS.left + Number(width) + 5;
  return (
    `<rect x="${BARS.left}" y="${y}" width="${width}" height="${BARS.height}" ${fill}/>` +
    `<text x="${end.toFixed(1)}" y="${y + 10}" font-size="11">${value} ms</text>`
  );
}

function rowOf({ label, sides }, at, first) {
  const [y, most] = [first + at * BARS.row, Math.max(...sides)];
  return (
    `<text x="${BARS.left - 8}" y="${y + 15}" text-anchor="end">${escaped(label.replace(/: (work|longest gap)$/, ""))}</text>` +
    sides.map((value, side) => bar(value, most, y + side * (BARS.height + 2), side === 1)).join("")
  );
}

/** The chart of a group. Each row has a scale of its own: its slower side is the longest bar. */
function svgOf(title, bars) {
  const height = 60 + bars.length * BARS.row;
  const names = [...new Set(bars.map(({ other }) => other))].join(" or ");
  const legend =
    `<rect x="10" y="32" width="11" height="11" fill="currentColor" opacity="0.7"/><text x="26" y="42">${escaped(names)}</text>` +
    `<rect x="200" y="32" width="11" height="11" fill="#3b82f6"/><text x="216" y="42">zarr-wasm</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" ` +
      `color="#757d87" font-family="system-ui, sans-serif" font-size="12" fill="currentColor" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<text x="10" y="18" font-size="14" font-weight="600">${escaped(title)}</text>${legend}`,
    ...bars.map((each, at) => rowOf(each, at, 56)),
    "</svg>\n",
  ].join("\n");
}

const countOf = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** What a reader of the page's text is told in the place of the picture. */
function altOf(title, bars) {
  const faster = bars.filter(({ sides: [other, ours] }) => ours < other).length;
  return `${title}: medians of ${countOf(bars.length, "row")}; zarr-wasm is the faster side in ${faster}`;
}

/** `[{ file, title, alt, svg }]` of `benches/RESULTS.md`. */
export function plotsOf(text) {
  const tables = tablesOf(text);
  return PLOTS.map((plot) => {
    const table = tables.get(plot.group);
    const bars = table ? barsOf(table, plot) : [];
    if (bars.length === 0) throw new Error(`benches/RESULTS.md has no figures of "${plot.group}"`);
    const file = `bench-${plot.group.replaceAll(/[^a-z]+/g, "-")}.svg`;
    return { file, title: plot.title, alt: altOf(plot.title, bars), svg: svgOf(plot.title, bars) };
  });
}

/** When and on what the figures were measured: the lines below the head of the file. */
export const measuredOn = (text) =>
  text
    .split("\n")
    .filter((line) => /^\d{4}-\d\d-\d\d, |^\d+ × /.test(line))
    .join(" ");

export function drawPlots(root, plots) {
  const folder = join(root, PICTURES);
  mkdirSync(folder, { recursive: true });
  for (const { file, svg } of plots) writeFileSync(join(folder, file), svg);
}
