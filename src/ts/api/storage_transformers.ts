/**
 * Storage transformers of the user's: what an array of a draft of v3 has between its chunks and the
 * store (the drafts, "Storage transformers"). The engine's own, sharding, needs no entry and gets
 * none. An array takes what is registered when it is first read or written.
 */
import { ZarrError } from "../model/errors.ts";
import { parseJsonText } from "../model/marked_json.ts";
import type { JsonText } from "../model/node_summary.ts";
import type { AbsolutePath, AsyncReadable, AsyncStore, AsyncWritable } from "../model/types.ts";
import type { Callback, ObjectNumbers } from "../port/object_numbers.ts";
import { definerOf } from "../port/store_definers.ts";
import { isOurs, NativeStore } from "../store/native_store.ts";
import type { StorageTransformerMetadata } from "./node_facts.ts";

export type { StorageTransformerMetadata };

/** What a storage transformer is made for. */
export interface StorageTransformerInfo extends StorageTransformerMetadata {
  /**
   * What the keys of the array's chunks begin with: `/data/foo/bar/`. Keys that are made up belong
   * below it, to be erased with it.
   */
  prefix: string;
  /** Chunks along each dimension, as they are handed to this transformer. */
  gridShape: number[];
  /** What stands between the indices in a key: `c0/1`. */
  separator: string;
}

/** The store below a transformer: that of the hierarchy, or the next transformer. */
export type StoreBelow = NativeStore & AsyncReadable & AsyncWritable & Required<Pick<AsyncStore, "delete">>;

/**
 * Returns the store that the array's chunks are read from and written to, over one that keeps what
 * becomes of them. Called once a bound array, and again when that changes its shape.
 */
export type StorageTransformer = (store: StoreBelow, info: StorageTransformerInfo) => AsyncStore;

/** Storage transformers by the URI of their specification, as metadata has it: `extension`. */
export const storageTransformers: Map<string, StorageTransformer> = new Map();

export const transformerNames = (): string[] => [...storageTransformers.keys()];

/** A store that the engine has already. */
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

/** What the engine says of a transformer's place. */
interface EngineInfo {
  extension: string;
  type: JsonText;
  configuration?: JsonText;
  prefix: string;
  gridShape: number[];
  separator: string;
}

function transformed({ type, configuration, ...place }: EngineInfo, below: number): object {
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
  const what = `the storage transformer ${JSON.stringify(place.extension)} returned no store`;
  throw new ZarrError("Argument", what, { expected: "a store", actual: String(made) });
}

const callbacks = new WeakMap<ObjectNumbers, Callback>();

/** What the engine asks to make a transformer's store; it will name the store by `number`. */
export function transformerCallback(objects: ObjectNumbers): Callback {
  const known = callbacks.get(objects);
  if (known) return known;
  const callback: Callback = (info: EngineInfo, below: number, number: number) => {
    const made = transformed(info, below);
    objects.keepAs(number, made);
    if (!objects.isLocal) return undefined;
    const own = definerOf(made)?.(objects);
    return own === undefined ? made : objects.store(made);
  };
  callbacks.set(objects, callback);
  return callback;
}
