/**
 * Reads a selection or one chunk of an array: calls the engine and converts its answer to the
 * requested form.
 */
import { chunkExtent } from "../../model/chunk_grid.ts";
import { UnsupportedError } from "../../model/errors.ts";
import { call } from "../../port/engine.ts";
import { REQUESTING, type RequestingStore } from "../../store/native_store.ts";
import { arrayNumber, bindCodecs, typeOf } from "../arrays.ts";
import { type ArrayNode, FACTS } from "../node_facts.ts";
import {
  type Options,
  observeRead,
  progressListener,
  type ReadRequest,
  readArguments,
  storeOptionsOf,
} from "./arguments.ts";
import { checkForm, formed, type ReadResult } from "./form.ts";
import { readIntoMemory } from "./into_memory.ts";
import { paddedNode } from "./padded.ts";

function checkShared(): void {
  if (typeof SharedArrayBuffer !== "undefined") return;
  throw new UnsupportedError("SharedArrayBuffer, which needs a page that is cross-origin isolated");
}

/**
 * The array in a store with the caller's options of requests, if its store makes one. A user's
 * store gets the options with each call.
 */
function requestingNode(array: ArrayNode, options: object | undefined): ArrayNode {
  const { store, path } = array;
  const derived = options && (store as RequestingStore)[REQUESTING]?.(options);
  return derived ? { [FACTS]: array[FACTS], store: derived, path } : array;
}

/** Reads a selection. */
export async function readSelection(
  array: ArrayNode,
  request: ReadRequest,
  options: Options,
): Promise<ReadResult> {
  const { signal, useSharedArrayBuffer, form, out } = options;
  if (useSharedArrayBuffer) checkShared();
  signal?.throwIfAborted();
  await bindCodecs(array[FACTS], signal);
  const storeOptions = storeOptionsOf(options);
  const node = requestingNode(array, storeOptions);
  if (out !== undefined && out !== null) return readIntoMemory(node, request, { ...options, out });
  const { arrayNode, ...args } = readArguments(node, request, options);
  const known = request.conversion?.type ?? array[FACTS].type;
  if (known) checkForm(known, form, out);
  const answer = await call(
    "read",
    (objects) => ({ ...args, array: arrayNumber(objects, arrayNode), useSharedArrayBuffer }),
    { signal, onEvent: progressListener(options), storeOptions },
  );
  observeRead(array, answer.progress);
  const type = known ?? (await typeOf(array, signal));
  if (!known) checkForm(type, form, out);
  const result = await formed(type, form, answer, signal);
  // The caller may have aborted after the engine's answer.
  signal?.throwIfAborted();
  return result;
}

/** Reads a whole chunk in native order: at the array's edge, with the padding that is stored. */
export async function readChunk(
  array: ArrayNode,
  index: readonly number[],
  options: Options,
): Promise<ReadResult> {
  const { grid, order, shape } = array[FACTS];
  const extents = index.map((at, axis) => chunkExtent(grid[axis] ?? 1, at));
  const entries = extents.map(({ start, length }) => ({ Slice: { start, stop: start + length } }));
  const isAtEdge = extents.some(({ start, length }, axis) => start + length > (shape[axis] ?? 0));
  const node = isAtEdge ? paddedNode(array) : array;
  return readSelection(node, { selection: { Orthogonal: entries }, order }, options);
}

/** Drops the cached chunks of an array. */
export async function forgetChunks(array: ArrayNode): Promise<void> {
  await call("forgetChunks", (objects) => ({ array: arrayNumber(objects, array) }));
}
