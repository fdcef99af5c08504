/** The level arrays of a picture pyramid: opened together, and which of them to look at first. */

import type { ArrayNode, Dataset, DatasetNode } from "./dataset.js";
import { readMultiscale } from "./multiscales.js";
import { shapeText } from "./number_text.js";
import { defaultPlane, isDrawable, planeSize, type Size } from "./plane.js";
import type { Level } from "./toolbar.js";

export interface PyramidLevel {
  path: string;
  array: ArrayNode;
}

/** The levels of a group, finest first; a level that cannot be opened or drawn is left out. */
export async function openPyramid(
  dataset: Dataset,
  group: DatasetNode,
  groupPath: string,
  signal: AbortSignal,
): Promise<PyramidLevel[]> {
  const multiscale = group.kind === "group" ? readMultiscale(group.attrs) : null;
  const paths = (multiscale?.paths ?? []).map((path) => (groupPath === "" ? path : `${groupPath}/${path}`));
  const nodes = await Promise.allSettled(paths.map((path) => dataset.node(path)));
  signal.throwIfAborted();
  return nodes.flatMap((outcome, index) => {
    if (outcome.status === "rejected" || outcome.value.kind !== "array" || !isDrawable(outcome.value))
      return [];
    return [{ path: paths[index] ?? "", array: outcome.value }];
  });
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
