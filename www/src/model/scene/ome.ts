/**
 * Reads OME's attributes, which may hold any JSON: the nodes that a group names (levels of an
 * image, wells of a plate, fields of a well, labels, series), and the grid of a plate. Web servers
 * often cannot list, so these are the only names. It makes no requests.
 */
import { joined, parentOf, pathBelow, plainPath, shortName } from "../text/paths.js";
import type { ArrayNode, GroupNode } from "./scene.js";

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** OME's attributes, which are in `ome` since 0.5. */
export const omeOf = (attrs: Json): Json => (isObject(attrs.ome) ? attrs.ome : attrs);

/** The role of a node, in addition to array or group. */
export type Role = "image" | "level" | "plate" | "well" | "labels" | "label";

export interface NamedNode {
  /** Path relative to the root, without slashes at its ends. `""` is the root. */
  path: string;
  kind: "array" | "group";
  role?: Role;
}

function paths(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  const found = list.map((entry: unknown) => pathBelow(isObject(entry) ? entry.path : entry));
  return found.filter((path) => path !== "");
}

/** The role that a group's attributes give it. */
export function roleOf(attributes: Json): Role | undefined {
  const ome = omeOf(attributes);
  if (isObject(ome["image-label"])) return "label";
  // It is a list in OME and an object in GeoZarr.
  if (Array.isArray(ome.multiscales) || isObject(ome.multiscales)) return "image";
  if (isObject(ome.plate)) return "plate";
  if (isObject(ome.well)) return "well";
  if (Array.isArray(ome.labels)) return "labels";
  return undefined;
}

/** The children that a group's attributes name, in their order. */
export function namedBelow(group: GroupNode): NamedNode[] {
  const base = plainPath(group.path);
  const ome = omeOf(group.attrs);
  const named = (list: unknown, kind: "array" | "group", role: Role): NamedNode[] =>
    paths(list).map((name) => ({ path: joined(base, name), kind, role }));
  const images = Array.isArray(ome.multiscales) ? ome.multiscales.filter(isObject) : [];
  return [
    ...images.flatMap(({ datasets }) => named(datasets, "array", "level")),
    ...named(isObject(ome.plate) ? ome.plate.wells : [], "group", "well"),
    ...named(isObject(ome.well) ? ome.well.images : [], "group", "image"),
    ...named(ome.labels, "group", "label"),
    ...seriesOf(ome, base),
  ];
}

/** The images that `OME/` lists; they are beside it. */
function seriesOf(ome: Json, base: string): NamedNode[] {
  const above = parentOf(base);
  return paths(ome.series).map((name) => ({ path: joined(above, name), kind: "group", role: "image" }));
}

/** Whether a group has several images with names in `OME/` or numbers (bioformats2raw). */
export function isSeries(attributes: Json): boolean {
  return omeOf(attributes)["bioformats2raw.layout"] !== undefined;
}

/**
 * Whether the attributes name the children, so that consolidated metadata is not needed.
 */
export function namesItsNodes(attributes: Json): boolean {
  return roleOf(attributes) !== undefined || isSeries(attributes);
}

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

/** An object of OME's attributes of a group. */
function omeObject({ attrs, kind }: ArrayNode | GroupNode, name: string): Json | null {
  const found = kind === "array" ? null : omeOf(attrs)[name];
  return isObject(found) ? found : null;
}

const namesOf = (value: unknown): string[] => objects(value).map(({ name }, at) => String(name ?? at + 1));

/** Maximum length of the name of a row or column, which is repeated for each of its wells. */
const MAX_CHARACTERS = 32;

const shortened = (name: string): string => shortName(name, MAX_CHARACTERS);

/** The positions by name. The first of equal names counts. */
const positionsOf = (names: readonly string[]): ReadonlyMap<string, number> =>
  new Map(names.map((name, at) => [name, at] as const).reverse());

/**
 * The position of a well: its indices, else by its path, which has the names of row and column.
 */
function positionIn(
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

/** The plate of a node. Null if it is not a plate. */
export function readPlate(node: ArrayNode | GroupNode): Plate | null {
  const plate = omeObject(node, "plate");
  if (!plate) return null;
  const [rows, columns] = [namesOf(plate.rows), namesOf(plate.columns)];
  const positions = { rows: positionsOf(rows), columns: positionsOf(columns) };
  const [rowNames, columnNames] = [rows.map(shortened), columns.map(shortened)];
  const wells = objects(plate.wells).flatMap((well): PlateWell[] => {
    const path = pathBelow(well.path);
    if (path === "") return [];
    const { row, column } = positionIn(well, path, positions.rows, positions.columns);
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

/** The paths of a well's fields, in order. Null if the node is not a well. */
export function readWell(node: ArrayNode | GroupNode): string[] | null {
  const well = omeObject(node, "well");
  return well && paths(well.images);
}
