/**
 * Storage transformers of the user's: what an array of a draft of v3 has between its chunks and the store (the drafts, "Storage
 * transformers"). The engine's own, sharding, needs no entry and gets none. An array takes what is registered when it is first read
 * or written.
 */
import { needFull, parseJson } from "../engine/instances.ts";
import { ZarrError } from "../model/errors.ts";
import { isOurs, NativeStore, nativeId } from "../store/native_store.ts";
import type { AbsolutePath, AsyncReadable, AsyncStore, AsyncWritable } from "../model/types.ts";

type Glue = typeof import("#glue");

/** A storage transformer as metadata has it. */
export interface StorageTransformerMetadata {
  /** The URI of its specification. */
  extension: string;
  /** Which of that specification's. */
  type: unknown;
  configuration?: Record<string, unknown>;
}

/** What a storage transformer is made for. */
export interface StorageTransformerInfo extends StorageTransformerMetadata {
  /** What the keys of the array's chunks begin with: `/data/foo/bar/`. Keys that are made up belong below it, to be erased with it. */
  prefix: string;
  /** Chunks along each dimension, as they are handed to this transformer. */
  gridShape: number[];
  /** What stands between the indices in a key: `c0/1`. */
  separator: string;
}

/** The store below a transformer: that of the hierarchy, or the next transformer. */
export type StoreBelow = NativeStore & AsyncReadable & AsyncWritable & Required<Pick<AsyncStore, "delete">>;

/**
 * Returns the store that the array's chunks are read from and written to, over one that keeps what becomes of them. Called once a
 * bound array, and again when that changes its shape.
 */
export type StorageTransformer = (store: StoreBelow, info: StorageTransformerInfo) => AsyncStore;

/** Storage transformers by the URI of their specification, as metadata has it: `extension`. */
export const storageTransformers: Map<string, StorageTransformer> = new Map();

/** A store that the engine has already. */
class EngineStore extends NativeStore {
  set(key: AbsolutePath, value: Uint8Array): Promise<void> {
    return this.ask((glue, id, settle) => needFull(glue).setKey(id, key, value, settle));
  }

  delete(key: AbsolutePath): Promise<void> {
    return this.ask((glue, id, settle) => needFull(glue).eraseKey(id, key, settle));
  }
}
isOurs(EngineStore);

/** What the engine says of a transformer's place; JSON is text. Written by `src/js/storage_transformers.rs`. */
interface EngineInfo {
  extension: string;
  kind: string;
  configuration?: string;
  prefix: string;
  gridShape: number[];
  separator: string;
}

/** What the engine asks when an array is bound. */
export class TransformerHook {
  readonly #glue: Glue;

  constructor(glue: Glue) {
    this.#glue = glue;
  }

  has(extension: string): boolean {
    return storageTransformers.has(extension);
  }

  /** The engine's number of the store that the user's function returns, or that store. */
  transform({ kind, configuration, ...place }: EngineInfo, below: number): number | object {
    const transformer = storageTransformers.get(place.extension) as StorageTransformer;
    const info = {
      ...place,
      type: parseJson(kind, false),
      ...(configuration !== undefined && {
        configuration: parseJson(configuration, false) as Record<string, unknown>,
      }),
    };
    const made = transformer(new EngineStore(() => below) as StoreBelow, info);
    if (typeof made !== "object" || made === null) {
      const what = `the storage transformer ${JSON.stringify(place.extension)} returned no store`;
      throw new ZarrError("Argument", what, { expected: "a store", actual: String(made) });
    }
    return nativeId(this.#glue, made) ?? made;
  }
}
