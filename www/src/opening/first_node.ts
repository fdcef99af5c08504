/** Finds the node to show if the URL names none, and the image to which a level belongs. */

import { parentOf } from "../text/paths.js";
import type { Dataset, GroupNode } from "./dataset.js";
import { isSeries, namedBelow, roleOf } from "./metadata_names.js";

/** Maximum depth at which an image or an array is searched. */
const DEPTH = 3;

/**
 * The path of the node to show first: the root if it is an array, an image, a plate or a group of
 * variables, else the first image or array below it.
 */
export async function firstPath(dataset: Dataset, signal: AbortSignal): Promise<string> {
  let path = "";
  for (let depth = 0; depth < DEPTH; depth += 1) {
    const node = await dataset.node(path);
    signal.throwIfAborted();
    if (node.kind === "array" || roleOf(node.attrs) !== undefined) return path;
    if (dataset.all?.some((entry) => isArrayIn(entry, path))) return path;
    const below =
      isSeries(node.attrs) || !dataset.all ? await dataset.children(path) : groupsIn(dataset, path);
    signal.throwIfAborted();
    // A group of arrays selects the array to show.
    if (!below || below.length === 0 || below.some(({ kind }) => kind === "array")) return path;
    path = below[0]?.path ?? path;
  }
  return path;
}

const isArrayIn = ({ path, kind }: { path: string; kind: string }, group: string) =>
  kind === "array" && path !== "" && parentOf(path) === group;

const groupsIn = (dataset: Dataset, path: string) =>
  (dataset.all ?? []).filter((entry) => entry.path !== path && parentOf(entry.path) === path);

/** The image of which an array is a level. */
export async function imageAround(
  dataset: Dataset,
  path: string,
): Promise<{ group: GroupNode; path: string; level: number } | null> {
  const parts = path.split("/");
  // A level need not be a direct child of its image.
  for (let depth = parts.length - 1; path !== "" && depth >= Math.max(0, parts.length - 2); depth -= 1) {
    const above = parts.slice(0, depth).join("/");
    const group = await dataset.node(above).catch(() => null);
    if (group?.kind !== "group") continue;
    const levels = namedBelow(group).filter(({ role }) => role === "level");
    const level = levels.findIndex((entry) => entry.path === path);
    if (level >= 0) return { group, path: above, level };
  }
  return null;
}
