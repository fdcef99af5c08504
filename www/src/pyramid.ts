/** The level arrays of a picture pyramid: opened together, and which of them to look at first. */

import * as zarr from "zarr-wasm";
import type { ArrayNode, DatasetNode } from "./dataset.js";
import { shapeText } from "./number_text.js";
import { defaultPlane, isDrawable, planeSize, type Size } from "./plane.js";
import type { Level } from "./toolbar.js";

export interface PyramidLevel {
  path: string;
  array: ArrayNode;
}

/**
 * The levels of a group, finest first, whatever convention it follows; a level that cannot be opened or drawn is left out.
 * `variable` names the array that is meant where levels are groups of several.
 */
export async function openPyramid(
  group: DatasetNode,
  signal: AbortSignal,
  variable?: string,
): Promise<PyramidLevel[]> {
  if (group.kind !== "group") return [];
  try {
    const { convention, levels } = await zarr.pyramid(group, { signal, variable });
    if (convention === "array") return [];
    const drawable = levels.filter(({ array }) => isDrawable(array));
    return drawable.map(({ path, array }) => ({ path: path.replace(/^\//, ""), array }));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof zarr.ZarrError && error.code !== "Store") return [];
    throw error;
  }
}

/** The coarsest level that still fills the view, so that the first picture is both quick and sharp. */
export function firstLevel(levels: readonly PyramidLevel[], view: Size): PyramidLevel | undefined {
  const fills = ({ array }: PyramidLevel) => {
    const { width, height } = planeSize(defaultPlane(array));
    return width >= view.width || height >= view.height;
  };
  return levels.findLast(fills) ?? levels[0];
}

export function levelChoice(levels: readonly PyramidLevel[]): Level[] {
  return levels.map(({ path, array }) => {
    const { width, height } = planeSize(defaultPlane(array));
    return { path, label: `${path.split("/").at(-1)}: ${shapeText([width, height])}` };
  });
}
