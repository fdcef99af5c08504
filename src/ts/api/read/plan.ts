/**
 * `ReadPlan`: the cost of a read, before anything is fetched.
 */

import { findable, worksBehindProxies } from "../../model/proxies.ts";
import type { EngineRequest } from "../../model/request.ts";
import type { ObjectNumbers } from "../../port/definitions.ts";
import { call } from "../../port/engine.ts";
import type { EngineCost, PlannedObject } from "../../port/operations.ts";
import { arrayNumber, bindCodecs } from "../arrays.ts";
import { type ArrayFacts, type ArrayNode, FACTS } from "../node_facts.ts";
import type { Progress } from "./request.ts";

export type { PlannedObject };

/**
 * The basis of a number of encoded bytes: exact from the codecs, estimated from the chunks read so
 * far, or the decoded size as a usual upper bound.
 */
export type EncodedBasis = "exact" | "observed" | "decoded";

/** Bytes of parts in flight at a time. */
const UNDER_WAY_BYTES = 32 << 20;

/** Number of stored objects per request to the engine. */
const PAGE = 1024;

/** The cost of a read. Nothing has been fetched for it. */
export class ReadPlan {
  /** Shape of the result in elements. */
  readonly shape: number[];
  /** Number of chunks to decode; of inner chunks if the array is sharded. */
  readonly chunkCount: number;
  /** Number of stored objects to read: chunks or shards. */
  readonly objectCount: number;
  /**
   * Number of requests: one per chunk. For a shard, one for its index, and from one up to the
   * number of selected chunks for its ranges. Cached and absent objects need fewer.
   */
  readonly requests: { least: number; most: number };
  /** Size of the result in bytes. */
  readonly resultBytes: number;
  /** Total size in bytes of all decoded chunks. */
  readonly decodedBytes: number;
  /** Number of bytes to fetch if every chunk exists; see `encodedBasis`. */
  readonly encodedBytes: number;
  readonly encodedBasis: EncodedBasis;
  /** Peak memory in bytes: the result, and the parts in flight, encoded and decoded. */
  readonly memoryBytes: number;
  readonly #page: (start: number) => Promise<PlannedObject[]>;

  /** @internal */
  constructor(cost: EngineCost, { elementSize, observed, page }: PlanContext) {
    const { shape, chunks, objects, elements, decodedElements, encodedChunkBytes, indexBytes } = cost;
    findable(this);
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
   * The stored chunks or shards in C order. They are listed lazily, because there may be millions.
   */
  async *objects(): AsyncGenerator<PlannedObject, void, undefined> {
    for (let start = 0; ; start += PAGE) {
      const page = await this.#page(start);
      yield* page;
      if (page.length < PAGE) return;
    }
  }
}
worksBehindProxies(ReadPlan);

interface PlanContext {
  elementSize: number;
  /** Mean encoded size in bytes of the chunks read so far. */
  observed: number | undefined;
  page: (start: number) => Promise<PlannedObject[]>;
}

/** For each array, the number of chunks read so far and their encoded bytes. */
const observed = new WeakMap<ArrayFacts, { chunks: number; bytes: number }>();

/** Adds a read to the statistics of an array's chunks. */
export function observe(facts: ArrayFacts, { chunks, bytes }: Progress): void {
  const before = observed.get(facts) ?? { chunks: 0, bytes: 0 };
  observed.set(facts, { chunks: before.chunks + chunks, bytes: before.bytes + bytes });
}

/** Mean encoded size in bytes of the chunks read so far, counting absent ones. */
function observedChunkBytes(facts: ArrayFacts): number | undefined {
  const { chunks, bytes } = observed.get(facts) ?? { chunks: 0, bytes: 0 };
  return chunks > 0 ? bytes / chunks : undefined;
}

/** Plans a read without fetching anything. */
export async function planRead(
  array: ArrayNode,
  request: EngineRequest,
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
