/**
 * Reads what the stage shows of a node: a picture, a plate, a list of values, or a text. The stage
 * keeps the previous contents until this has been read.
 */

import * as zarr from "zarr-wasm";
import type { ArrayNode, Dataset, DatasetNode } from "./opening/dataset.js";
import type { NamedNode } from "./opening/metadata_names.js";
import type { UrlState } from "./opening/url_state.js";
import { readValues, type Values } from "./panels/values.js";
import { buildScene } from "./scene/build_scene.js";
import type { Plate } from "./scene/plate.js";
import type { Scene } from "./scene/scene.js";
import { isAbort } from "./text/errors.js";
import { joined, lastPart } from "./text/paths.js";

/** The place of a node in its data set. */
export interface Place {
  dataset: Dataset;
  /** The name of the data set. */
  source: string;
  path: string;
  /** The paths of the fields of its well. */
  fields?: readonly string[];
  above?: { name: string; path: string };
}

export type Shown = Place & { title: string } & (
    | { kind: "scene"; scene: Scene }
    | { kind: "plate"; plate: Plate }
    | { kind: "values"; values: Values }
    | { kind: "choices"; nodes: readonly NamedNode[] | null }
    | { kind: "failed"; error: unknown }
  );

/** The reason why a node cannot be drawn. */
export async function prepareShown(
  node: DatasetNode,
  wanted: UrlState,
  place: Place,
  signal: AbortSignal,
): Promise<Shown> {
  const title = lastPart(place.path) || place.source;
  try {
    const { variable, plane } = wanted;
    const array = node.kind === "array" ? node : await childArray(place, variable);
    if (array && !isPlane(array)) {
      const values = await readValues(array, signal);
      return { ...place, kind: "values", title: variable ?? title, values };
    }
    const scene = await buildScene(node, { signal, variable, plane });
    return { ...place, kind: "scene", title: scene.title || title, scene };
  } catch (error) {
    if (isAbort(error) || signal.aborted) throw error;
    if (node.kind === "group" && zarr.isZarritaError(error, "NotFoundError")) {
      return { ...place, kind: "choices", title, nodes: await place.dataset.children(place.path) };
    }
    return { ...place, kind: "failed", title, error };
  }
}

/** The array of a variable. Null if the metadata does not list it as a child of the node. */
async function childArray({ dataset, path }: Place, variable: string | undefined): Promise<ArrayNode | null> {
  if (variable === undefined) return null;
  const child = joined(path, variable);
  if (!dataset.all?.some((named) => named.path === child)) return null;
  const node = await dataset.node(child);
  return node.kind === "array" ? node : null;
}

const isPlane = ({ dtype, shape }: ArrayNode): boolean =>
  /^(bool|u?int(8|16|32|64)|float(16|32|64))$/.test(dtype) &&
  shape.length >= 2 &&
  shape.every((length) => length > 0);
