/**
 * A plate as a grid of wells with thumbnails of their first fields. A click or Enter opens a well;
 * arrow keys move in the grid.
 */

import { html, render, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import type { Dataset } from "../../model/opening/dataset.js";
import type { Plate, PlateWell } from "../../model/scene/ome.js";
import { countText } from "../../model/text/numbers.js";
import { joined } from "../../model/text/paths.js";
import { shortened } from "../page/element.js";
import { DIRECTIONS } from "../page/keyboard.js";
import { PlateThumbnails } from "./plate_thumbnails.js";

/** A plate and its path. */
export interface PlateOfDataset {
  plate: Plate;
  path: string;
  dataset: Dataset;
}

/** Maximum number of positions that are shown. The largest plates have 6 144 wells (64 × 96). */
const MAX_POSITIONS = 10_000;
/** Least number of columns that are shown of a plate with more positions. */
const MIN_COLUMNS = 100;

/** The number of rows and columns that are shown. */
function shownSize({ rows, columns }: Plate): { rows: number; columns: number } {
  const most = Math.max(MIN_COLUMNS, Math.floor(MAX_POSITIONS / Math.max(1, rows.length)));
  const across = Math.min(columns.length, most);
  return { rows: Math.min(rows.length, Math.floor(MAX_POSITIONS / Math.max(1, across))), columns: across };
}

/** The part of a plate that is shown. A position shows one well, the last of those that name it. */
function shownPart(plate: Plate): Plate {
  const size = shownSize(plate);
  const wells = plate.wells.filter(({ row, column }) => row < size.rows && column < size.columns);
  const byPosition = new Map(wells.map((well) => [`${well.row}/${well.column}`, well]));
  return {
    name: plate.name,
    rows: plate.rows.slice(0, size.rows),
    columns: plate.columns.slice(0, size.columns),
    wells: [...byPosition.values()],
  };
}

/** The caption, which says what is not shown. */
function captionOf(whole: Plate, shown: Plate): string {
  const words = `${whole.name || "Plate"}: ${countText(whole.wells.length)} wells`;
  if (shown.rows.length === whole.rows.length && shown.columns.length === whole.columns.length) return words;
  const size = (plate: Plate) => `${countText(plate.rows.length)} × ${countText(plate.columns.length)}`;
  return `${words} on ${size(whole)} positions. The first ${size(shown)} positions are shown, with ${countText(shown.wells.length)} wells.`;
}

export class PlateGrid {
  constructor(
    readonly element: HTMLElement,
    readonly open: (path: string) => void,
  ) {
    element.addEventListener("keydown", (event) => this.#key(event));
  }

  /** `signal` aborts when another node is shown. */
  show({ plate: whole, path, dataset }: PlateOfDataset, signal: AbortSignal): void {
    const plate = shownPart(whole);
    const open = (well: PlateWell) => this.open(joined(path, well.path));
    render(keyed(plate, tableOf(plate, captionOf(whole, plate), open)), this.element);
    const wells = [...this.element.querySelectorAll("button")];
    if (wells[0]) wells[0].tabIndex = 0;
    new PlateThumbnails({ dataset, path, wells, root: this.element, signal, show: setPicture });
  }

  #key(event: KeyboardEvent): void {
    const cell = (event.target as HTMLElement).closest("td");
    const row = cell?.parentElement as HTMLTableRowElement | null | undefined;
    if (!cell || !row) return;
    const move = DIRECTIONS[event.key];
    if (!move) return;
    event.preventDefault();
    const rows = [...(row.parentElement?.children ?? [])] as HTMLTableRowElement[];
    let [at, column] = [rows.indexOf(row), cell.cellIndex];
    for (;;) {
      column += move[0];
      at += move[1];
      const next = rows[at]?.cells[column];
      if (!next || column === 0) return;
      const button = next.querySelector("button");
      if (!button) continue;
      (event.target as HTMLElement).tabIndex = -1;
      button.tabIndex = 0;
      button.focus();
      return;
    }
  }
}

/** The grid of a plate. `open` is called with a chosen well. */
function tableOf({ rows, columns, wells }: Plate, caption: string, open: (well: PlateWell) => void) {
  const byPosition = new Map(wells.map((well) => [`${well.row}/${well.column}`, well]));
  const cell = (row: number, column: number) => {
    const well = byPosition.get(`${row}/${column}`);
    return html`<td>${well ? wellButton(well, open) : noWell(`${rows[row]}${columns[column]}`)}</td>`;
  };
  const row = (name: string, at: number) =>
    html`<tr><th scope="row">${name}</th>${columns.map((_, column) => cell(at, column))}</tr>`;
  return html`<table class="plate-table" .style=${`--columns: ${columns.length}; --rows: ${rows.length}`}>
    <caption><span>${shortened(caption)}</span></caption>
    <thead><tr><td></td>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${rows.map(row)}</tbody>
  </table>`;
}

function wellButton(well: PlateWell, open: (well: PlateWell) => void): TemplateResult {
  return html`<button
    type="button"
    class="well-button"
    tabindex="-1"
    data-path=${well.path}
    aria-label="Well ${well.name}"
    @click=${() => open(well)}
  ><span class="well-name">${well.name}</span></button>`;
}

/** A position of the plate without a well. */
function noWell(name: string): TemplateResult {
  const words = `No well ${name}`;
  return html`<span class="no-well" role="img" aria-label=${words} title=${words}></span>`;
}

/** Puts a picture into the button of a well; null if it cannot be read. */
function setPicture(button: HTMLElement, pixels: ImageData | null): void {
  if (!pixels) {
    const words = `${button.getAttribute("aria-label")}: no picture`;
    button.classList.add("without-picture");
    button.setAttribute("aria-label", words);
    button.title = words;
    return;
  }
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [pixels.width, pixels.height];
  canvas.setAttribute("aria-hidden", "true");
  canvas.getContext("2d")?.putImageData(pixels, 0, 0);
  button.classList.add("with-picture");
  button.prepend(canvas);
}
