/**
 * What a read will cost, before anything is fetched.
 */

import { call } from "../../port/engine.ts";
import type { ObjectNumbers } from "../../port/object_numbers.ts";
import type { EngineCost, PlannedObject } from "../../port/operations.ts";
import { arrayNumber, bindCodecs, observedChunkBytes } from "../arrays.ts";
import { type ArrayNode, FACTS } from "../node_facts.ts";
import type { ReadRequest } from "./read.ts";

export type { PlannedObject };

/**
 * How sure a number of encoded bytes is: told by the codecs, by the chunks that were read so far,
 * or only that it is not more, as a rule.
 */
export type EncodedBasis = "exact" | "observed" | "decoded";

/** Bytes of parts that are under way at a time. */
const UNDER_WAY_BYTES = 32 << 20;

/** Stored objects that are asked of the engine at a time. */
const PAGE = 1024;

/** What a read will cost. Nothing was fetched for it. */
export class ReadPlan {
  /** Shape of the result. */
  readonly shape: number[];
  /** Chunks that are decoded; inner ones, where there are shards. */
  readonly chunkCount: number;
  /** Stored chunks, or shards, that are asked for. */
  readonly objectCount: number;
  /**
   * Requests: one a chunk; of a shard its index and, at least one, and at most as many ranges as it
   * has chunks of the selection. Less what is in a cache, or absent.
   */
  readonly requests: { least: number; most: number };
  /** Bytes of the result. */
  readonly resultBytes: number;
  /** Bytes of all chunks that are decoded, whole. */
  readonly decodedBytes: number;
  /** Bytes that are fetched, where every chunk is there; by `encodedBasis`. */
  readonly encodedBytes: number;
  readonly encodedBasis: EncodedBasis;
  /**
   * Bytes that reading takes at a time: the result, and the parts under way, encoded and decoded.
   */
  readonly memoryBytes: number;
  readonly #page: (start: number) => Promise<PlannedObject[]>;

  /** @internal */
  constructor(cost: EngineCost, { elementSize, observed, page }: PlanContext) {
    const { shape, chunks, objects, elements, decodedElements, encodedChunkBytes, indexBytes } = cost;
    this.shape = shape;
    this.chunkCount = chunks;
    this.objectCount = objects;
    this.requests =
      indexBytes === undefined
        ? { least: objects, most: objects }
        : { least: 2 * objects, most: objects + chunks };
    this.resultBytes = elements * elementSize;
    this.decodedBytes = decodedElements * elementSize;
    const chunkBytes = encodedChunkBytes ?? observed;
    const data = chunkBytes === undefined ? this.decodedBytes : chunks * chunkBytes;
    this.encodedBytes = data + objects * (indexBytes ?? 0);
    this.encodedBasis =
      encodedChunkBytes !== undefined ? "exact" : observed !== undefined ? "observed" : "decoded";
    const underWay =
      Math.min(UNDER_WAY_BYTES, this.decodedBytes) + Math.min(UNDER_WAY_BYTES, this.encodedBytes);
    this.memoryBytes = this.resultBytes + underWay;
    this.#page = page;
  }

  /**
   * The stored chunks, or shards, in C order: found as they are asked for, since there may be
   * millions.
   */
  async *objects(): AsyncGenerator<PlannedObject, void, undefined> {
    for (let start = 0; ; start += PAGE) {
      const page = await this.#page(start);
      yield* page;
      if (page.length < PAGE) return;
    }
  }
}

interface PlanContext {
  elementSize: number;
  /** Mean bytes of the chunks that were read so far. */
  observed: number | undefined;
  page: (start: number) => Promise<PlannedObject[]>;
}

/** Plans a read without fetching. */
export async function planRead(
  array: ArrayNode,
  { conversion: _, ...request }: ReadRequest,
  signal: AbortSignal | undefined,
): Promise<ReadPlan> {
  const facts = array[FACTS];
  await bindCodecs(facts, signal);
  const named = (objects: ObjectNumbers) => ({ array: arrayNumber(objects, array), request });
  const { cost, elementSize } = await call("planRead", named, { signal });
  const page = (start: number) =>
    call("planObjects", (objects) => ({ ...named(objects), start, count: PAGE }));
  return new ReadPlan(cost, { elementSize, observed: observedChunkBytes(facts), page });
}
