/**
 * Reads OME's plates from attributes: wells on a grid, and the fields of a well. No requests.
 */
import { shortName } from "../text/cut.js";
import { isObject, type Json, omeOf } from "./attributes.js";
import type { GroupNode } from "./scene.js";

export interface PlateWell {
  /** The name, such as "B03". */
  name: string;
  row: number;
  column: number;
  /** The path of the well relative to the plate. */
  path: string;
}

export interface Plate {
  name: string;
  rows: string[];
  columns: string[];
  wells: PlateWell[];
}

const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** An object of OME's attributes. */
function omeObject({ attrs }: GroupNode, name: string): Json | null {
  const found = omeOf(attrs)[name];
  return isObject(found) ? found : null;
}

const namesOf = (value: unknown): string[] => objects(value).map(({ name }, at) => String(name ?? at + 1));

/** Maximum length of the name of a row or column, which is repeated for each of its wells. */
const MOST_CHARACTERS = 32;

const shortened = (name: string): string => shortName(name, MOST_CHARACTERS);

/** The positions by name. The first of equal names counts. */
const positionsOf = (names: readonly string[]): ReadonlyMap<string, number> =>
  new Map(names.map((name, at) => [name, at] as const).reverse());

const isPath = (value: unknown): value is string => typeof value === "string" && value !== "";

/**
 * The position of a well: its indices, else by its path, which has the names of row and column.
 */
function placeOf(
  { rowIndex, columnIndex }: Json,
  path: string,
  rows: ReadonlyMap<string, number>,
  columns: ReadonlyMap<string, number>,
) {
  if (typeof rowIndex === "number" && typeof columnIndex === "number") {
    return { row: rowIndex, column: columnIndex };
  }
  const [row = "", column = ""] = path.split("/");
  return { row: rows.get(row) ?? -1, column: columns.get(column) ?? -1 };
}

/** The plate of a group. Null if it is not a plate. */
export function readPlate(group: GroupNode): Plate | null {
  const plate = omeObject(group, "plate");
  if (!plate) return null;
  const [rows, columns] = [namesOf(plate.rows), namesOf(plate.columns)];
  const places = { rows: positionsOf(rows), columns: positionsOf(columns) };
  const [rowNames, columnNames] = [rows.map(shortened), columns.map(shortened)];
  const wells = objects(plate.wells).flatMap((well): PlateWell[] => {
    const { path } = well;
    if (!isPath(path)) return [];
    const { row, column } = placeOf(well, path, places.rows, places.columns);
    const [rowName, columnName] = [rowNames[row], columnNames[column]];
    if (rowName === undefined || columnName === undefined) return [];
    return [{ name: `${rowName}${columnName}`, row, column, path }];
  });
  return {
    name: typeof plate.name === "string" ? plate.name : "",
    rows: rowNames,
    columns: columnNames,
    wells,
  };
}

/** The paths of a well's fields, in order. Null if the group is not a well. */
export function readWell(group: GroupNode): string[] | null {
  const well = omeObject(group, "well");
  if (!well) return null;
  return objects(well.images).flatMap(({ path }) => (isPath(path) ? [path] : []));
}
