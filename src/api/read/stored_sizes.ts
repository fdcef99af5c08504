/**
 * What is stored of a selection: the sizes of its chunks and shards. The engine asks the store, and
 * reads the indexes of shards, page by page. It is lazy code.
 */

import type { InnerChunkSize, StoredObjectSize } from "../../contract/contract.ts";
import { optionsOf, SIGNAL } from "../../engine/ts/model/argument.ts";
import { call } from "../../engine/ts/port/engine.ts";
import { arrayId, bindCodecs } from "../array_definitions.ts";
import type { NodeOptions } from "../location.ts";
import { type ArrayNode, FACTS } from "../node_facts.ts";
import type { AnySelection } from "../selection.ts";
import { locatedRequest } from "./request.ts";

export type { InnerChunkSize };

/** What is stored under a key: a chunk or a shard. */
export interface StoredSize {
  /** Its index in the grid of stored objects: of chunks, or of shards. */
  chunk: number[];
  /** Its key in the store. */
  key: string;
  /**
   * Its size as it is stored; undefined if it is absent.
   *
   * @unit bytes
   */
  bytes?: number | undefined;
  /** When it was changed, if the store tells: a server does, with `Last-Modified`. */
  lastModified?: Date;
  /**
   * Of a shard, its chunks that have selected elements, in C order. Undefined if a codec follows
   * the shards: then the index cannot be read alone.
   */
  innerChunks?: InnerChunkSize[];
}

/** Number of stored objects per request to the engine, which measures them side by side. */
const PAGE = 64;

function sizeOf({ lastModified: text, ...stored }: StoredObjectSize): StoredSize {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? stored : { ...stored, lastModified: new Date(time) };
}

/** What is stored of a selection, in C order of the stored objects. No chunk is read. */
export async function* storedSizes(
  array: ArrayNode,
  selection: AnySelection | null | undefined,
  options: NodeOptions,
): AsyncGenerator<StoredSize, void, undefined> {
  const { signal } = optionsOf(options, SIGNAL);
  const request = await locatedRequest(array, selection, signal);
  await bindCodecs(array[FACTS], signal);
  for (let start = 0; ; ) {
    const page = await call(
      "storedSizes",
      (objects) => ({ array: arrayId(objects, array), ...request, start, count: PAGE }),
      { signal },
    );
    if (page.length === 0) return;
    yield* page.map(sizeOf);
    start += page.length;
  }
}
