/**
 * What the metadata of a group says of its levels and their arrays contradict: shapes, scales, the
 * number of axes. `pyramid` finds it while it reads the arrays. A group whose levels cannot be read
 * has no such findings: `pyramid` says why.
 */
import { ZarrError } from "../../engine/ts/model/errors.ts";
import { kindOf, type NodeLike } from "../../engine/ts/model/node_like.ts";
import type { Readable } from "../../engine/ts/model/types.ts";
import { type PlacedNode, pyramidOfOwn } from "./pyramid.ts";
import type { Finding } from "./schema.ts";

/** The findings that need the arrays. */
const CONTRADICTIONS = ["pyramid/axes", "pyramid/scales", "pyramid/shape"];

/** Number of images of a group that are examined. */
const MAX_IMAGES = 8;

/** A group in a store, which can be asked for its arrays. */
const isPlacedNode = (node: NodeLike): node is PlacedNode<Readable> =>
  kindOf(node) === "group" &&
  typeof node.path === "string" &&
  typeof (node as { store?: unknown }).store === "object";

/** Contradictions between a group's metadata of levels and its arrays, which are opened. */
export async function levelFindings(node: NodeLike, signal: AbortSignal | undefined): Promise<Finding[]> {
  const findings: Finding[] = [];
  if (!isPlacedNode(node)) return findings;
  try {
    for (let image = 0, images = 1; image < Math.min(images, MAX_IMAGES); image += 1) {
      const read = await pyramidOfOwn(node, image, signal);
      images = read.images;
      findings.push(...read.findings.filter(({ rule }) => CONTRADICTIONS.includes(rule)));
    }
  } catch (error) {
    if (!(error instanceof ZarrError) || error.code === "Aborted") throw error;
  }
  return findings;
}
