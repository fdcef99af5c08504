/**
 * Reads the names of a group's children from its attributes: levels of an image, wells of a plate,
 * fields of a well, labels, series. Web servers often cannot list, so these are the only names.
 * `scene/` interprets the rest of the metadata.
 */

import type * as zarr from "zarr-wasm";
import { isObject, type Json, omeOf } from "../scene/attributes.js";
import { joined, parentOf, plainPath } from "../text/paths.js";

/** The role of a node, in addition to array or group. */
export type Role = "image" | "level" | "plate" | "well" | "labels" | "label" | "variable" | "coordinate";

export interface NamedNode {
  /** Path relative to the root, without slashes at its ends. `""` is the root. */
  path: string;
  kind: "array" | "group";
  role?: Role | undefined;
}

function paths(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  const found = list.map((entry: unknown) => (isObject(entry) ? entry.path : entry));
  return found.filter((path): path is string => typeof path === "string" && path !== "");
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
export function namedBelow(group: { path: string; attrs: zarr.Attributes }): NamedNode[] {
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
