/**
 * Plates of OME: wells on a grid, and the fields of a well. Read from attributes; nothing waits.
 */
import type { GroupNode } from "./scene.js";

export interface PlateWell {
  /** As "B03". */
  name: string;
  row: number;
  column: number;
  /** Path of the well below the plate. */
  path: string;
}

export interface Plate {
  name: string;
  rows: string[];
  columns: string[];
  wells: PlateWell[];
}

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** An object of OME's attributes: from 0.5 on they are inside of `ome`. */
function omeObject({ attrs }: GroupNode, name: string): Json | null {
  const ome = isObject(attrs.ome) ? attrs.ome : {};
  const found = ome[name] ?? attrs[name];
  return isObject(found) ? found : null;
}

const namesOf = (value: unknown): string[] => objects(value).map(({ name }, at) => String(name ?? at + 1));

const isPath = (value: unknown): value is string => typeof value === "string" && value !== "";

/**
 * Where a well is: as it says, else by its path, which is made of the names of its row and column.
 */
function placeOf({ rowIndex, columnIndex }: Json, path: string, rows: string[], columns: string[]) {
  if (typeof rowIndex === "number" && typeof columnIndex === "number") {
    return { row: rowIndex, column: columnIndex };
  }
  const [row = "", column = ""] = path.split("/");
  return { row: rows.indexOf(row), column: columns.indexOf(column) };
}

/** The plate that a group is; null where it is none. */
export function readPlate(group: GroupNode): Plate | null {
  const plate = omeObject(group, "plate");
  if (!plate) return null;
  const [rows, columns] = [namesOf(plate.rows), namesOf(plate.columns)];
  const wells = objects(plate.wells).flatMap((well): PlateWell[] => {
    const { path } = well;
    if (!isPath(path)) return [];
    const { row, column } = placeOf(well, path, rows, columns);
    const [rowName, columnName] = [rows[row], columns[column]];
    if (rowName === undefined || columnName === undefined) return [];
    return [{ name: `${rowName}${columnName}`, row, column, path }];
  });
  return { name: typeof plate.name === "string" ? plate.name : "", rows, columns, wells };
}

/** Paths of the fields below a well, in order; null where the group is no well. */
export function readWell(group: GroupNode): string[] | null {
  const well = omeObject(group, "well");
  if (!well) return null;
  return objects(well.images).flatMap(({ path }) => (isPath(path) ? [path] : []));
}
