/**
 * An array whose shape ends where its last chunks end. Reading it gives the chunks at the edge as
 * they are stored, with their padding, as zarrita's `getChunk` does.
 */
import { chunkCount, chunkExtent } from "../../model/chunk_grid.ts";
import { type ArrayFacts, type ArrayNode, FACTS } from "../node_facts.ts";

const padded = new WeakMap<ArrayFacts, ArrayFacts>();

/** The end in elements of the last stored chunk of a dimension. */
function endOf({ shape64, shape, grid, chunks, shards }: ArrayFacts, axis: number): bigint {
  const [length = 0n, runs = 1] = [shape64[axis], grid[axis]];
  if (typeof runs === "number") {
    const stored = BigInt((shards ?? chunks)[axis] ?? 1);
    return ((length + stored - 1n) / stored) * stored;
  }
  const last = chunkExtent(runs, chunkCount(runs, shape[axis] ?? 0) - 1);
  const end = BigInt(last.start + last.length);
  return end > length ? end : length;
}

function paddedFacts(facts: ArrayFacts): ArrayFacts {
  const shape64 = facts.shape64.map((_, axis) => endOf(facts, axis));
  // The engine takes this shape in place of the one in the text (`NodeDocument::from_json`).
  const document = `${facts.document.slice(0, -1)},"shape":[${shape64.join(",")}]}`;
  // The other facts are the array's, and some are computed when they are used.
  return Object.create(facts, {
    shape: { value: shape64.map(Number) },
    shape64: { value: shape64 },
    document: { value: document },
  }) as ArrayFacts;
}

/** The array with whole chunks at its edge. */
export function paddedNode({ [FACTS]: facts, store, path }: ArrayNode): ArrayNode {
  const known = padded.get(facts) ?? paddedFacts(facts);
  padded.set(facts, known);
  return { [FACTS]: known, store, path };
}
