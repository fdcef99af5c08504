/**
 * Computes the cost of a read (`plan.ts`) from what the engine knows of the array. It is lazy code.
 */

import type { ReadCost } from "../../contract/contract.ts";
import type { EngineRequest } from "../../engine/ts/model/read_request.ts";
import type { ObjectIds } from "../../engine/ts/port/definitions.ts";
import { call } from "../../engine/ts/port/engine.ts";
import { arrayId, bindCodecs } from "../array_definitions.ts";
import { type ArrayNode, FACTS } from "../node_facts.ts";
import type { PlannedCost } from "./plan.ts";

/** Bytes of parts in flight at a time. */
const UNDER_WAY_BYTES = 32 << 20;

/** The numbers of a plan. `observed`: mean encoded size in bytes of the chunks read so far. */
function numbersOf(cost: ReadCost, elementSize: number, observed: number | undefined) {
  const { shape, chunks, objects, elements, decodedElements, encodedChunkBytes, indexBytes } = cost;
  const resultBytes = elements * elementSize;
  const decodedBytes = decodedElements * elementSize;
  const chunkBytes = encodedChunkBytes ?? observed;
  const estimate = observed !== undefined ? "observed" : "decoded";
  const data = chunkBytes === undefined ? decodedBytes : chunks * chunkBytes;
  const encodedBytes = data + objects * (indexBytes ?? 0);
  const underWay = Math.min(UNDER_WAY_BYTES, decodedBytes) + Math.min(UNDER_WAY_BYTES, encodedBytes);
  return {
    shape,
    chunkCount: chunks,
    objectCount: objects,
    requests:
      indexBytes === undefined
        ? { least: objects, most: objects }
        : { least: 2 * objects, most: objects + chunks },
    resultBytes,
    decodedBytes,
    encodedBytes,
    encodedBasis: encodedChunkBytes !== undefined ? "exact" : estimate,
    memoryBytes: resultBytes + underWay,
  } as const;
}

/** What a `ReadPlan` is made of. Nothing is fetched. */
export async function plannedCost(
  array: ArrayNode,
  request: EngineRequest,
  signal: AbortSignal | undefined,
  observed: () => number | undefined,
): Promise<PlannedCost> {
  await bindCodecs(array[FACTS], signal);
  const named = (objects: ObjectIds) => ({
    array: arrayId(objects, array),
    selection: request.selection,
  });
  const { cost, elementSize } = await call("planRead", named, { signal });
  return {
    ...numbersOf(cost, elementSize, observed()),
    page: (start, count) => call("planObjects", (objects) => ({ ...named(objects), start, count })),
  };
}
