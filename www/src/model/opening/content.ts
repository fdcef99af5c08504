/**
 * The content of a node, which views show: a picture, a plate, values, a list of nodes, or why
 * there is none. A view shows the one before until this has been read.
 */

import * as zarr from "zarr-wasm";
import { buildScene } from "../scene/build_scene.js";
import { isSeries, type NamedNode, type Plate, readPlate, readWell } from "../scene/ome.js";
import type { Scene } from "../scene/scene.js";
import type { UrlState } from "../state/url_state.js";
import { isAbort } from "../text/errors.js";
import { joined, lastPart, parentOf, plainPath } from "../text/paths.js";
import { type ArrayNode, type Dataset, type DatasetNode, imageAround } from "./dataset.js";
import { isNumeric, readValues, type Values } from "./values.js";

/** The location of a node in its data set. */
export interface NodeLocation {
  dataset: Dataset;
  /** The name of the data set. */
  source: string;
  path: string;
  /** The paths of the fields of its well. */
  fields?: readonly string[];
  /** The paths of the images of its file, if it has several. */
  series?: readonly string[];
  above?: { name: string; path: string };
}

export type Content = NodeLocation & { title: string } & (
    | { kind: "scene"; scene: Scene }
    | { kind: "plate"; plate: Plate }
    | { kind: "values"; values: Values }
    | { kind: "choices"; nodes: readonly NamedNode[] | null }
    | { kind: "failed"; error: unknown }
  );

/** A picture. */
export type SceneContent = Content & { kind: "scene" };

type ContentQuery = Pick<UrlState, "variable" | "plane" | "values"> & { path: string };

/** Reads the content of a node. A well shows its first field, an array its image. */
export async function readContent(
  dataset: Dataset,
  node: DatasetNode,
  wanted: ContentQuery,
  signal: AbortSignal,
): Promise<Content> {
  const [{ path }, source] = [wanted, dataset.source.name];
  const plate = readPlate(node);
  if (plate) return { kind: "plate", plate, path, title: plate.name || source, source, dataset };
  const fields = readWell(node);
  const image = node.kind === "array" ? await imageAround(dataset, path) : null;
  const at = fields ? joined(path, fields[0] ?? "") : (image ?? path);
  return pictureOf(await dataset.node(at), wanted, await locationOf(dataset, at), signal);
}

/** The images beside a node, if the group above has several. */
async function seriesAround(dataset: Dataset, above: DatasetNode): Promise<readonly string[] | undefined> {
  if (above.kind === "array" || !isSeries(above.attrs)) return undefined;
  const nodes = (await dataset.children(plainPath(above.path))) ?? [];
  return nodes.filter(({ role }) => role === "image").map(({ path }) => path);
}

/**
 * The location of a node, for its title: for an image of a plate also its well, for one of several
 * images the others.
 */
async function locationOf(dataset: Dataset, path: string): Promise<NodeLocation> {
  const source = dataset.source.name;
  const above = parentOf(path);
  const well = path === "" ? null : await dataset.node(above).catch(() => null);
  const fields = well && readWell(well);
  if (!fields) return { source, path, dataset, series: well ? await seriesAround(dataset, well) : undefined };
  const parts = path.split("/");
  return {
    source: `${source} · well ${parts.slice(-3, -1).join("")}`,
    path,
    dataset,
    fields: fields.map((field) => joined(above, field)),
    above: { name: "Plate", path: parts.slice(0, -3).join("/") },
  };
}

/** The picture of a node, or what is shown without one. */
async function pictureOf(
  node: DatasetNode,
  { variable, plane, values: form }: ContentQuery,
  location: NodeLocation,
  signal: AbortSignal,
): Promise<Content> {
  const title = lastPart(location.path) || location.source;
  try {
    const array = node.kind === "array" ? node : await childArray(location, variable);
    if (array && !isPlane(array)) {
      const values = await readValues(array, signal);
      return { ...location, kind: "values", title: variable ?? title, values };
    }
    const scene = await buildScene(node, { signal, variable, plane, values: form });
    return { ...location, kind: "scene", title: scene.title || title, scene };
  } catch (error) {
    if (isAbort(error) || signal.aborted) throw error;
    if (node.kind === "group" && zarr.isZarritaError(error, "NotFoundError")) {
      return { ...location, kind: "choices", title, nodes: await location.dataset.children(location.path) };
    }
    return { ...location, kind: "failed", title, error };
  }
}

/** The array of a variable. Null if the metadata does not list it as a child of the node. */
async function childArray(
  { dataset, path }: NodeLocation,
  variable: string | undefined,
): Promise<ArrayNode | null> {
  if (variable === undefined) return null;
  const child = joined(path, variable);
  if (!dataset.all?.some((named) => named.path === child)) return null;
  const node = await dataset.node(child);
  return node.kind === "array" ? node : null;
}

const isPlane = ({ dtype, shape }: ArrayNode): boolean =>
  isNumeric(dtype) && shape.length >= 2 && shape.every((length) => length > 0);
