/** Formats records for the terminal and for RESULTS.md: first the goals, then all figures. */
import { verdictsOf } from "./goals.mjs";
import { QUIET_LOAD } from "./measure/machine.mjs";

/** Names of the contestants in tables, in the order of columns. */
const LABELS = {
  memcpy: "memcpy",
  pixels: "proj4 for each pixel",
  fetch: "fetching alone",
  native: "native decoding",
  numcodecs: "numcodecs.js",
  browser: "DecompressionStream",
  zarrita: "zarrita",
  tuned: "zarrita tuned",
  alias: "ours, zarrita's calls",
  before: "the other build",
  ours: "ours",
  caller: "ours, on the page's thread",
  file: "ours, the engine's wasm as a file",
  slim: "ours, slim",
  Vite: "ours, built by Vite",
  webpack: "ours, built by webpack",
  brotli: "ours, brotli",
  "one thread": "one thread",
  "2 workers": "2 workers",
  shared: "2 workers, shared memory",
  stream: "ours, a stream: decoding alone",
  numpy: "NumPy",
  nanmean: "NumPy, skipping NaN",
};

const number = (value) => {
  if (value === undefined) return "";
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 10 ? 1 : 2);
};

const titleOf = ({ group, where }) => (where ? `${group}, ${where}` : group);

const tableRow = (cells) => `| ${cells.join(" | ")} |`;

const table = (head, rows) =>
  [tableRow(head), `|${"---|".repeat(head.length)}`, ...rows.map(tableRow)].join("\n");

function verdictText({ name, value, isMet, text, isRatio }) {
  return `${isMet ? "✓" : "✗"} ${LABELS[name]}: ${number(value)}${isRatio ? " ×" : ""} (${text})`;
}

/** Formats a record for the terminal. */
export function linesOf(record) {
  const figures = Object.entries(record.figures).map(([name, value]) => `${name} ${number(value)}`);
  const requests = Object.entries(record.requests ?? {}).map(([name, value]) => `${name} ${value}`);
  return [
    `${titleOf(record)} · ${record.row} [${record.unit ?? "ms"}]: ${figures.join(", ")}`,
    ...(requests.length ? [`    requests: ${requests.join(", ")}`] : []),
    ...verdictsOf(record).map((verdict) => `    ${verdictText(verdict)}`),
  ];
}

function goalTable(records) {
  const rows = records.flatMap((record) =>
    verdictsOf(record).map(({ name, value, isMet, text, isRatio }) => [
      isMet ? "met" : "**missed**",
      titleOf(record),
      record.row,
      LABELS[name],
      `${number(value)}${isRatio ? " ×" : ""}`,
      text,
    ]),
  );
  const met = rows.filter(([word]) => word === "met").length;
  const head = ["goal", "group", "row", "who", "measured", "wanted"];
  return `${met} of ${rows.length} goals are met.\n\n${table(head, rows)}`;
}

const cell = (record, name) => {
  const figure = number(record.figures[name]);
  const requests = record.requests?.[name];
  return requests === undefined
    ? figure
    : `${figure} (${requests} req, ${number(record.wire[name] / 1e6)} MB)`;
};

function figureTable(title, records) {
  const names = Object.keys(LABELS).filter((name) =>
    records.some(({ figures }) => figures[name] !== undefined),
  );
  const rows = records.map((record) => [
    `${record.row}${record.unit ? ` [${record.unit}]` : ""}`,
    ...names.map((name) => cell(record, name)),
  ]);
  const head = ["ms, medians", ...names.map((name) => LABELS[name])];
  return `### ${title}\n\n${table(head, rows)}`;
}

const machineLines = (machine, { rounds, waitingRounds }) =>
  [
    `${machine.date}, commit ${machine.commit} (${machine.build} build), ${rounds} rounds, ${waitingRounds} where a line is waited for, both sides in turn, medians.`,
    `${machine.processor}; ${machine.system}; Node ${machine.node}, Chromium ${machine.chromium}; zarrita ${machine.zarrita}, numcodecs.js ${machine.numcodecs}.`,
  ].join("\n");

const caution = ({ load, build, failed }) => {
  const reasons = [
    ...(load >= QUIET_LOAD ? [`the machine was busy (load average ${load.toFixed(1)})`] : []),
    ...(build === "quick" ? ["the build was a quick one"] : []),
    ...(failed.length ? [`not all was measured (${failed.join(", ")})`] : []),
  ];
  return reasons.length ? [`**Not to be relied on: ${reasons.join(" and ")}.**`] : [];
};

/** The text of RESULTS.md. */
export function resultsOf(records, machine, options) {
  const titles = [...new Set(records.map(titleOf))];
  return `${[
    "# Results of the benchmark",
    "Written by `npm run bench`; what the rows are is said at the head of each file of `groups/`, the goals stand in `goals.mjs`. Why goals are missed: [PROFILES.md](PROFILES.md).",
    machineLines(machine, options),
    ...caution(machine),
    "## Goals",
    goalTable(records),
    "## Figures",
    ...titles.map((title) =>
      figureTable(
        title,
        records.filter((record) => titleOf(record) === title),
      ),
    ),
  ].join("\n\n")}\n`;
}
