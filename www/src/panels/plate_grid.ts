/** A plate as a grid of wells; a click, or Enter, opens a well. Arrows walk the grid. */

import { element } from "../page/element.js";
import type { Plate, PlateWell } from "../scene/plate.js";

export class PlateGrid {
  onWell: (well: PlateWell) => void = () => {};
  readonly #place: HTMLElement;

  constructor(place: HTMLElement) {
    this.#place = place;
    place.addEventListener("keydown", (event) => this.#key(event));
  }

  show(plate: Plate): void {
    const wells = new Map(plate.wells.map((well) => [`${well.row}/${well.column}`, well]));
    const head = plate.columns.map((name) => element("th", { scope: "col" }, name));
    const rows = plate.rows.map((name, row) => {
      const cells = plate.columns.map((_, column) => this.#cell(wells.get(`${row}/${column}`)));
      return element("tr", {}, element("th", { scope: "row" }, name), ...cells);
    });
    const table = element(
      "table",
      { class: "plate-table" },
      element("caption", {}, `${plate.name || "Plate"}: ${plate.wells.length} wells`),
      element("thead", {}, element("tr", {}, element("td", {}), ...head)),
      element("tbody", {}, ...rows),
    );
    table.style.setProperty("--columns", String(plate.columns.length));
    table.style.setProperty("--rows", String(plate.rows.length));
    this.#place.replaceChildren(table);
    const [first] = this.#place.querySelectorAll<HTMLButtonElement>("button");
    if (first) first.tabIndex = 0;
  }

  #cell(well: PlateWell | undefined): HTMLElement {
    if (!well) return element("td", {}, element("span", { class: "no-well", "aria-hidden": "true" }));
    const button = element("button", { type: "button", class: "well-button", tabindex: -1 }, well.name);
    button.setAttribute("aria-label", `Well ${well.name}`);
    button.addEventListener("click", () => this.onWell(well));
    return element("td", {}, button);
  }

  #key(event: KeyboardEvent): void {
    const cell = (event.target as HTMLElement).closest("td");
    const row = cell?.parentElement as HTMLTableRowElement | null | undefined;
    if (!cell || !row) return;
    const moves: Record<string, readonly [rows: number, columns: number]> = {
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const rows = [...(row.parentElement?.children ?? [])] as HTMLTableRowElement[];
    let [at, column] = [rows.indexOf(row), cell.cellIndex];
    for (;;) {
      at += move[0];
      column += move[1];
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
