/**
 * `ReadPlan`: the cost of a read, before anything is fetched. `plan_cost.ts` computes it; it is
 * lazy code.
 */
import { lazy } from "#lazy";
import type { PlannedObject } from "../../contract/contract.ts";
import { findable, worksBehindProxies } from "../../engine/ts/model/proxies.ts";
import type { EngineRequest } from "../../engine/ts/model/read_request.ts";
import { type ArrayFacts, type ArrayNode, FACTS } from "../node_facts.ts";
import type { Progress } from "./request.ts";

export type { PlannedObject };

/**
 * The basis of a number of encoded bytes: `"exact"` follows from the codecs, `"observed"` is
 * estimated from the chunks read so far, `"decoded"` is the decoded size, a usual upper bound.
 */
export type EncodedBasis = "exact" | "observed" | "decoded";

/** Number of stored objects per request to the engine. */
const PAGE = 1024;

/** Lists so many stored objects of a plan. */
type ListObjects = (start: number, count: number) => Promise<PlannedObject[]>;

/** The members of a plan, and what lists its stored objects from one on. */
export type PlannedCost = Omit<ReadPlan, "objects"> & {
  page: ListObjects;
};

/** The cost of a read. Nothing has been fetched for it. `Array.plan` resolves to it. */
export class ReadPlan {
  /** Shape of the result in elements. */
  declare readonly shape: number[];
  /** Number of chunks to decode; of inner chunks if the array is sharded. */
  declare readonly chunkCount: number;
  /** Number of stored objects to read: chunks or shards. */
  declare readonly objectCount: number;
  /**
   * Number of requests: one per chunk. For a shard, one for its index, and from one up to the
   * number of selected chunks for its ranges. Cached and absent objects need fewer.
   */
  declare readonly requests: {
    /** The fewest. */
    least: number;
    /** The most. */
    most: number;
  };
  /**
   * Size of the result.
   *
   * @unit bytes
   */
  declare readonly resultBytes: number;
  /**
   * Total size of all decoded chunks.
   *
   * @unit bytes
   */
  declare readonly decodedBytes: number;
  /**
   * What has to be fetched if every chunk exists; see `encodedBasis`.
   *
   * @unit bytes
   */
  declare readonly encodedBytes: number;
  /** What `encodedBytes` is based on. */
  declare readonly encodedBasis: EncodedBasis;
  /**
   * Peak memory: the result, and the parts in flight, encoded and decoded.
   *
   * @unit bytes
   */
  declare readonly memoryBytes: number;
  readonly #page: ListObjects;

  /** @internal */
  constructor({ page, ...cost }: PlannedCost) {
    findable(this);
    Object.assign(this, cost);
    this.#page = page;
  }

  /**
   * The stored chunks or shards in C order. They are listed lazily, because there may be millions.
   */
  async *objects(): AsyncGenerator<PlannedObject, void, undefined> {
    for (let start = 0; ; start += PAGE) {
      const page = await this.#page(start, PAGE);
      yield* page;
      if (page.length < PAGE) return;
    }
  }
}
worksBehindProxies(ReadPlan);

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
  const { plannedCost } = await lazy();
  return new ReadPlan(await plannedCost(array, request, signal, () => observedChunkBytes(facts)));
}
