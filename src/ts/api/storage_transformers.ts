/**
 * Registers the user's storage transformers, which are between an array's chunks and the store in
 * the drafts of v3 (section "Storage transformers" there). Sharding is implemented by the engine
 * and needs no entry. An array uses the transformers that are registered at its first read or
 * write.
 */
import { refuse } from "../model/argument.ts";
import { parseJsonText } from "../model/json.ts";
import type { AbsolutePath, AsyncReadable, AsyncStore, AsyncWritable } from "../model/types.ts";
import { type Callback, definerOf, type ObjectNumbers } from "../port/definitions.ts";
import type { TransformerPlace } from "../port/protocol.ts";
import { isOurs, NativeStore } from "../store/native_store.ts";
import type { StorageTransformerMetadata } from "./node_facts.ts";

export type { StorageTransformerMetadata };

/** Describes the array for which a storage transformer is made. */
export interface StorageTransformerInfo extends StorageTransformerMetadata {
  /**
   * Prefix of the keys of the array's chunks, such as `/data/foo/bar/`. Additional keys should be
   * below it, so that they are erased with the array.
   */
  prefix: string;
  /** Number of chunks along each dimension, as this transformer receives them. */
  gridShape: number[];
  /** Separator of the indices in a key, such as "/" in `c0/1`. */
  separator: string;
}

/** The store below a transformer: the hierarchy's store or the next transformer. */
export type StoreBelow = NativeStore & AsyncReadable & AsyncWritable & Required<Pick<AsyncStore, "delete">>;

/**
 * Returns the store for the array's chunks, on top of the store below. It is called once for each
 * bound array, and again after its shape has changed.
 */
export type StorageTransformer = (store: StoreBelow, info: StorageTransformerInfo) => AsyncStore;

/** The registered storage transformers, by the URI in the metadata's `extension`. */
export const storageTransformers: Map<string, StorageTransformer> = new Map();

export const transformerNames = (): string[] => [...storageTransformers.keys()];

/** A store that already exists in the engine. */
class EngineStore extends NativeStore {
  constructor(below: number) {
    super(() => ({ kind: "below", below }));
  }

  set(key: AbsolutePath, value: Uint8Array): Promise<void> {
    return this.put(key, value);
  }

  delete(key: AbsolutePath): Promise<void> {
    return this.remove(key);
  }
}
isOurs(EngineStore);

function transformed({ type, configuration, ...place }: TransformerPlace, below: number): object {
  const transformer = storageTransformers.get(place.extension);
  const info = {
    ...place,
    type: parseJsonText(type),
    ...(configuration !== undefined && {
      configuration: parseJsonText(configuration) as Record<string, unknown>,
    }),
  };
  const made: unknown = transformer?.(new EngineStore(below) as unknown as StoreBelow, info);
  if (typeof made === "object" && made !== null) return made;
  const what = `the storage transformer ${JSON.stringify(place.extension)} did not return a store`;
  refuse(what, "a store", made);
}

const callbacks = new WeakMap<ObjectNumbers, Callback>();

/** The callback that makes a transformer's store. The engine then calls the store by `number`. */
export function transformerCallback(objects: ObjectNumbers): Callback {
  const known = callbacks.get(objects);
  if (known) return known;
  const callback: Callback = (info: TransformerPlace, below: number, number: number) => {
    const made = transformed(info, below);
    objects.keepAs(number, made);
    if (!objects.isLocal) return undefined;
    const own = definerOf(made)?.(objects);
    return own === undefined ? made : objects.store(made);
  };
  callbacks.set(objects, callback);
  return callback;
}
