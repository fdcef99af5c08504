/**
 * Reads the names of a group's children from its attributes: levels of an image, wells of a plate,
 * fields of a well, labels, series. Web servers often cannot list, so these are the only names.
 * `scene/` interprets the rest of the metadata.
 */

import type * as zarr from "zarr-wasm";

/** The role of a node, in addition to array or group. */
export type Role = "image" | "level" | "plate" | "well" | "labels" | "label" | "variable" | "coordinate";

export interface NamedNode {
  /** Path relative to the root, without slashes at its ends. `""` is the root. */
  path: string;
  kind: "array" | "group";
  role?: Role | undefined;
}

type Attributes = Record<string, unknown>;

const isObject = (value: unknown): value is Attributes => typeof value === "object" && value !== null;

/** OME's metadata: below `ome` since 0.5, before in the attributes themselves. */
const omeOf = (attributes: Attributes): Attributes =>
  isObject(attributes.ome) ? attributes.ome : attributes;

export const joined = (base: string, name: string): string => (base === "" ? name : `${base}/${name}`);

function paths(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  const found = list.map((entry: unknown) => (isObject(entry) ? entry.path : entry));
  return found.filter((path): path is string => typeof path === "string" && path !== "");
}

/** The role that a group's attributes give it. */
export function roleOf(attributes: Attributes): Role | undefined {
  const ome = omeOf(attributes);
  if (isObject(ome["image-label"])) return "label";
  // It is a list in OME and an object in GeoZarr.
  if (isObject(ome.multiscales)) return "image";
  if (isObject(ome.plate)) return "plate";
  if (isObject(ome.well)) return "well";
  if (Array.isArray(ome.labels)) return "labels";
  return undefined;
}

/** The children that a group's attributes name, in their order. */
export function namedBelow(group: { path: string; attrs: zarr.Attributes }): NamedNode[] {
  const base = group.path.replace(/^\/+|(?<!\/)\/+$/g, "");
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
function seriesOf(ome: Attributes, base: string): NamedNode[] {
  const above = base.split("/").slice(0, -1).join("/");
  return paths(ome.series).map((name) => ({ path: joined(above, name), kind: "group", role: "image" }));
}

/** Whether a group has several images with names in `OME/` or numbers (bioformats2raw). */
export function isSeries(attributes: Attributes): boolean {
  return omeOf(attributes)["bioformats2raw.layout"] !== undefined;
}

/**
 * Whether the attributes name the children, so that consolidated metadata is not needed.
 */
export function namesItsNodes(attributes: Attributes): boolean {
  return roleOf(attributes) !== undefined || isSeries(attributes);
}
