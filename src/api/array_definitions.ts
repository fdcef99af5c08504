/**
 * Defines arrays for the engine, and gets from it what the page cannot know: the data type of a
 * caller's metadata object, and which user codecs an array has.
 */

import { lazy } from "#lazy";
import type { NodeSummary } from "../contract/contract.ts";
import { FAST_CODECS } from "../contract/contract.ts";
import { keepTables } from "../engine/ts/elements/typed_arrays.ts";
import type { TypeDescription } from "../engine/ts/model/data_type.ts";
import type { CodecMetadata } from "../engine/ts/model/types.ts";
import type { ArrayDefinition, ArrayKey, ObjectIds } from "../engine/ts/port/definitions.ts";
import { call } from "../engine/ts/port/engine.ts";
import type { BoundCodecs } from "./codecs.ts";
import { type ArrayFacts, type ArrayNode, FACTS } from "./node_facts.ts";
import { transformerCallback, transformerNames, userLoaders } from "./registry.ts";

/** The key of an array's definition. It is replaced when the user's registrations change. */
interface Known extends ArrayKey {
  codecs: BoundCodecs | undefined;
  /** URIs of the registered storage transformers. */
  transformers: string[];
  /** The array has been read, so its user codecs are fixed. */
  isRead: boolean;
}

const known = new WeakMap<ArrayFacts, Known>();
const types = new WeakMap<ArrayFacts, TypeDescription>();

function knownOf(facts: ArrayFacts): Known {
  const before = known.get(facts);
  const transformers = transformerNames();
  const isSame = transformers.join() === before?.transformers.join();
  if (before && (before.isRead || isSame)) return before;
  const entry: Known = { codecs: before?.codecs, transformers, isRead: false, warn: facts.warn };
  known.set(facts, entry);
  return entry;
}

/**
 * Describes an array again with its user codecs, which may determine the shape of a chunk or the
 * memory order.
 */
export async function describeWithCodecs(
  summary: NodeSummary,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!summary.array || userLoaders().size === 0) return;
  const { boundCodecs } = await lazy();
  // Errors of a codec are reported by the first read.
  const codecs = await boundCodecs(summary.document, signal).catch(() => undefined);
  signal?.throwIfAborted();
  if (!codecs) return;
  const { document } = summary;
  summary.array = await call("describeArray", () => ({ document, codecs: codecs.text }), { signal });
}

/** Binds the registered user codecs to an array, unless it has been read. */
export async function bindCodecs(facts: ArrayFacts, signal: AbortSignal | undefined): Promise<void> {
  const entry = knownOf(facts);
  if (entry.isRead || userLoaders().size === 0) return;
  const { boundCodecs } = await lazy();
  const codecs = await boundCodecs(facts.document, signal);
  if (entry.isRead || codecs?.text === entry.codecs?.text) return;
  known.set(facts, { ...entry, codecs });
}

/** Fixes the user codecs of an array. */
export function settleCodecs(facts: ArrayFacts): void {
  knownOf(facts).isRead = true;
}

/** The engine's id of an array. Defines the array if necessary. */
export function arrayId(objects: ObjectIds, { [FACTS]: facts, store, path }: ArrayNode): number {
  const entry = knownOf(facts);
  return objects.array(entry, store, (ids, storeId) => definitionOf(ids, storeId, path, facts, entry));
}

function definitionOf(
  objects: ObjectIds,
  store: number,
  path: string,
  facts: ArrayFacts,
  { codecs, transformers: names }: Known,
): ArrayDefinition {
  const { document, build, type, chunks, shards } = facts;
  return {
    store,
    path,
    document,
    build,
    type,
    chunks,
    stored: shards ?? chunks,
    decoding: decodingOf(facts.codecs),
    chain: namesOf(facts.codecs).join(", "),
    codecs: codecs && {
      text: codecs.text,
      modules: codecs.modules,
      runner: objects.callback(codecs.runner),
    },
    transformers:
      names.length > 0 ? { names, callback: objects.callback(transformerCallback(objects)) } : undefined,
  };
}

/** Whether decoding takes about as long as copying. So it does for the codecs inside of shards. */
function isFast({ name, configuration }: CodecMetadata): boolean {
  const { cname, codecs } = Object(configuration) as { cname?: unknown; codecs?: CodecMetadata[] };
  if (name === "sharding_indexed") return Array.isArray(codecs) && codecs.every(isFast);
  return FAST_CODECS.split(" ").includes(name) || (name === "blosc" && cname === "lz4");
}

/** The names of codecs. For a shard they are those inside of it. */
const namesOf = (codecs: readonly CodecMetadata[]): string[] =>
  codecs.flatMap(({ name, configuration }) => {
    const { codecs: inner } = Object(configuration) as { codecs?: CodecMetadata[] };
    return Array.isArray(inner) ? namesOf(inner) : name;
  });

function decodingOf(codecs: readonly CodecMetadata[]): ArrayDefinition["decoding"] {
  if (codecs.every(({ name }) => name === "bytes")) return "none";
  return codecs.every(isFast) ? "fast" : "slow";
}

/** The data type of an array. For a caller's metadata object, the engine is asked once. */
export async function typeOf(array: ArrayNode, signal?: AbortSignal): Promise<TypeDescription> {
  const facts = array[FACTS];
  const own = facts.type ?? types.get(facts);
  if (own) return own;
  const described = await call("describeType", (objects) => ({ array: arrayId(objects, array) }), { signal });
  keepTables(described.floatTables);
  types.set(facts, described.type);
  return described.type;
}

/** Size of an element in bytes; undefined for variable length. */
export const elementSizeOf = async (array: ArrayNode): Promise<number | undefined> =>
  (await typeOf(array)).size;

/** The name of an array's data type. */
export const typeNameOf = async (array: ArrayNode): Promise<string> => (await typeOf(array)).name;
