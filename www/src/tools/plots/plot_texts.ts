/** A plot as CSV and as JSON, with all digits. */
import type { Mark } from "../../model/state/marks.js";
import { axisText, type Plot, tableOf } from "./plot.js";

/**
 * A field of CSV (RFC 4180). Texts that spreadsheets would run as formulas begin with a quote.
 * Numbers below zero do not.
 */
function field(text: string): string {
  const isFormula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) && Number.isNaN(Number(text));
  const plain = isFormula ? `'${text}` : text;
  return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** A table with a line for each x: its number or date, and the value of each series. */
export function csvOf(plot: Plot): string {
  const { head, rows } = tableOf(plot);
  const unit = axisText(plot.y);
  const names = head.map((name, at) => (at === 0 ? name : `${name}: ${unit}`));
  const isText = plot.x.isTime || plot.kind === "bars";
  const lines = rows.map(({ x, text, ys }) => [
    isText ? text : String(x),
    ...ys.map((y) => (y === null ? "" : String(y))),
  ]);
  return [names, ...lines].map((line) => `${line.map(field).join(",")}\r\n`).join("");
}

/** What a file says of the data set. */
export interface Origin {
  source: string;
  path: string;
  /** Indices by name of axis. */
  at: Readonly<Record<string, number>>;
}

/** An address without its user and its query, which hold passwords and signatures. */
const withoutSecrets = (source: string): string =>
  source
    .replace(/^((?:[a-z][a-z\d+.-]*:)?[/\\]{2,})[^/\\?#]*@/i, "$1")
    .replace(/^([^?#]*)\?[^#]*/, "$1")
    .replace(/#(?!(branch|tag|snapshot)=).*$/s, "");

/** The plot with the marks of its series, which are by colour. Gaps are null. */
export function jsonOf(plot: Plot, origin: Origin, marks: ReadonlyMap<string, Mark>): string {
  const { title, kind, x, y, series } = plot;
  const source = withoutSecrets(origin.source);
  const written = series.map(({ name, color, xs, ys, texts, end }) => {
    const mark = marks.get(color);
    return {
      name,
      ...(mark && { mark: { kind: mark.kind, places: mark.positions } }),
      x: xs,
      ...((x.isTime || kind === "bars") && { text: texts }),
      ...(end !== undefined && { end }),
      y: ys,
    };
  });
  const axis = ({ name, unit, isTime }: Plot["x"]) => ({
    name,
    unit: isTime ? "seconds since 1970-01-01" : unit,
  });
  return `${JSON.stringify({ title, kind, ...origin, source, x: axis(x), y: axis(y), series: written }, null, 1)}\n`;
}
