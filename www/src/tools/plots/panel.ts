/**
 * The panel of plots: tools that draw marks, what is plotted, the list of marks with their values,
 * the statistics of areas, and the plot as a table. `plots_view.ts` says what it shows.
 */
import { html, nothing, render, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { valueText } from "../../model/scene/value_text.js";
import type { MarkKind, PlotKind } from "../../model/state/marks.js";
import { countText } from "../../model/text/numbers.js";
import { button, dot, type IconName, iconButton, shortened, withValue } from "../../widgets/page/element.js";
import type { Plot } from "./plot.js";
import { axisText, tableOf } from "./plot.js";
import type { AreaStatistics } from "./read_area.js";
import type { SavedAs } from "./saving.js";

/** A mark in the list. */
export interface MarkRow {
  slot: number;
  name: string;
  color: string;
  /** The value at the pointer or at the index on show. */
  value: string;
  /** Whether something is still being read, and what went wrong. */
  note: string;
  statistics?: AreaStatistics;
}

export interface Choice {
  value: string;
  text: string;
}

export interface PanelContent {
  tool: MarkKind | null;
  /** The tools that make sense for the picture. */
  tools: readonly MarkKind[];
  kind: PlotKind;
  kinds: readonly Choice[];
  axis: string;
  axes: readonly Choice[];
  channel: string;
  channels: readonly Choice[];
  rows: readonly MarkRow[];
  plot: Plot | null;
  /** The x to which the values of the rows belong. */
  at: string;
  hint: string;
}

export interface PanelOptions {
  setTool(tool: MarkKind | null): void;
  setKind(kind: PlotKind): void;
  setAxis(axis: string): void;
  setChannel(channel: number): void;
  remove(slot: number): void;
  clear(): void;
  /** The slot is that of the mark whose elements are saved. */
  save(as: SavedAs, slot: number): void;
  close(): void;
}

const TOOLS: Record<MarkKind, { icon: IconName; text: string }> = {
  point: { icon: "pin", text: "Add points" },
  line: { icon: "line", text: "Draw a line" },
  box: { icon: "box", text: "Draw a box" },
  polygon: { icon: "polygon", text: "Draw a polygon" },
};

/** Maximum number of rows of the table. Files have all of them. */
const MAX_ROWS = 500;

function part(name: string): HTMLElement {
  const element = document.createElement("div");
  element.className = `plots-${name}`;
  return element;
}

export class Panel {
  /** The element of the chart. */
  readonly chart = part("chart");
  readonly #head = part("head");
  readonly #side = part("side");
  readonly #table = part("table");
  #content: PanelContent | null = null;
  #isTableOpen = false;

  constructor(
    readonly element: HTMLElement,
    readonly options: PanelOptions,
  ) {
    const body = part("body");
    body.append(this.chart, this.#side);
    element.replaceChildren(this.#head, body, this.#table);
  }

  show(content: PanelContent): void {
    this.#content = content;
    render(this.#headOf(content), this.#head);
    render(this.#sideOf(content), this.#side);
    this.#renderTable();
    this.chart.hidden = content.plot === null;
    this.element.dataset.kind = content.kind;
  }

  #headOf(content: PanelContent): TemplateResult {
    const { tool, tools, kind, kinds, axis, axes, channel, channels, rows } = content;
    const toolButton = (name: MarkKind) => {
      const { icon, text } = TOOLS[name];
      const press = () => this.options.setTool(tool === name ? null : name);
      return iconButton(icon, text, press, tool === name);
    };
    return html`<div class="tools" role="group" aria-label="Marks">${tools.map(toolButton)}</div>
      ${choiceOf("plot-kind", "What is plotted", kinds, kind, (value) => this.options.setKind(value as PlotKind))}
      ${kind === "series" ? choiceOf("plot-axis", "Along", axes, axis, (value) => this.options.setAxis(value)) : nothing}
      ${choiceOf("plot-channel", "Channel", channels, channel, (value) => this.options.setChannel(Number(value)))}
      <span class="gap"></span>
      ${rows.length > 0 ? this.#saveMenu(content) : nothing}
      ${iconButton("close", "Close the plots", () => this.options.close())}`;
  }

  #saveMenu({ plot, rows }: PanelContent): TemplateResult {
    const close = (event: Event) =>
      (event.currentTarget as Element).closest("details")?.removeAttribute("open");
    const item = (as: SavedAs, text: string, slot = -1) => {
      const press = (event: Event) => {
        close(event);
        this.options.save(as, slot);
      };
      return html`<button type="button" data-save=${as} data-slot=${slot} @click=${press}>${text}</button>`;
    };
    const elements = ({
      name,
      slot,
      color,
    }: MarkRow) => html`<div class="row" role="group" aria-label="Elements of ${name}">
      <span>${dot(color)} ${name}</span>${item("npy", ".npy", slot)}${item("zarr", "Zarr (.zip)", slot)}
    </div>`;
    const ofPlot = html`<h3>This plot</h3>
      <div class="row">${item("csv", "CSV")}${item("json", "JSON")}${item("png", "PNG")}${item("svg", "SVG")}</div>`;
    return html`<details class="save">
      <summary>Save</summary>
      <div class="menu">${plot ? ofPlot : nothing}<h3>Elements under a mark</h3>${rows.map(elements)}</div>
    </details>`;
  }

  #sideOf({ rows, at, hint, kind, plot }: PanelContent): TemplateResult {
    const row = ({ slot, name, color, value, note }: MarkRow) => html`<li data-slot=${slot}>
      ${dot(color)}<span class="name">${name}</span><b>${value}</b>
      ${note ? html`<span class="note">${note}</span>` : nothing}
      ${iconButton("close", `Remove ${name}`, () => this.options.remove(slot))}
    </li>`;
    return html`${hint ? html`<p class="hint" role="status">${hint}</p>` : nothing}
      ${plot && at ? html`<p class="at">${axisTextOf(plot)} <b>${at}</b></p>` : nothing}
      <ul>${rows.map(row)}</ul>
      ${rows.length > 1 ? button("Remove all", () => this.options.clear(), "quiet") : nothing}
      ${kind === "histogram" ? statisticsTable(rows) : nothing}`;
  }

  #renderTable(): void {
    const { plot } = this.#content ?? {};
    const toggle = (event: Event) => {
      this.#isTableOpen = (event.currentTarget as HTMLDetailsElement).open;
      this.#renderTable();
    };
    const content = plot && this.#isTableOpen ? plotTable(plot) : nothing;
    render(
      plot
        ? html`<details ?open=${live(this.#isTableOpen)} @toggle=${toggle}><summary>Table</summary>${content}</details>`
        : nothing,
      this.#table,
    );
  }
}

const axisTextOf = ({ x }: Plot): string => shortened(axisText(x));

function choiceOf(
  id: string,
  label: string,
  choices: readonly Choice[],
  chosen: string,
  choose: (value: string) => void,
): unknown {
  if (choices.length < 2) return nothing;
  const option = ({ value, text }: Choice) =>
    html`<option value=${value} ?selected=${value === chosen}>${shortened(text)}</option>`;
  return html`<select id=${id} aria-label=${label} title=${label} @change=${withValue(choose)}>${choices.map(option)}</select>`;
}

const STATISTICS = [
  ["count", "Elements"],
  ["mean", "Mean"],
  ["std", "Standard deviation"],
  ["min", "Minimum"],
  ["median", "Median"],
  ["max", "Maximum"],
] as const;

/** Six digits, as many as singles have. */
const numberText = (value: number): string =>
  Number.isInteger(value) ? countText(value) : valueText(value, "float32");

function statisticsTable(rows: readonly MarkRow[]): unknown {
  const read = rows.filter(({ statistics }) => statistics);
  if (read.length === 0) return nothing;
  const head = read.map(({ name, color }) => html`<th scope="col">${dot(color)} ${name}</th>`);
  const line = ([key, text]: (typeof STATISTICS)[number]) => html`<tr>
    <th scope="row">${text}</th>
    ${read.map(({ statistics }) => html`<td data-statistic=${key}>${numberText(statistics?.[key] ?? Number.NaN)}</td>`)}
  </tr>`;
  return html`<table class="statistics">
    <caption class="hidden">Statistics</caption>
    <thead><tr><td></td>${head}</tr></thead>
    <tbody>${STATISTICS.map(line)}</tbody>
  </table>`;
}

function plotTable(plot: Plot): TemplateResult {
  const { head, rows } = tableOf(plot);
  const row = ({ text, ys }: (typeof rows)[number]) => html`<tr>
    <th scope="row">${text}</th>
    ${ys.map((y) => html`<td>${y === null ? "–" : String(y)}</td>`)}
  </tr>`;
  const note = `${countText(rows.length)} rows. The first ${countText(MAX_ROWS)} are shown; CSV has all.`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of the plot">
    <table>
      <caption>${shortened(plot.title)}${plot.y.unit ? ` in ${plot.y.unit}` : ""}</caption>
      <thead><tr>${head.map((text) => html`<th scope="col">${shortened(text)}</th>`)}</tr></thead>
      <tbody>${rows.slice(0, MAX_ROWS).map(row)}</tbody>
    </table>
    ${rows.length > MAX_ROWS ? html`<p class="note">${note}</p>` : nothing}
  </div>`;
}
