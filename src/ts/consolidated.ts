/**
 * Consolidated metadata: one document that holds those of a whole hierarchy. The engine reads it and answers for the nodes in
 * it; here is the store around the store, with zarrita's `contents()`.
 */

import { callNow, Handle, isEngineStarted, run } from "./engine/engine.ts";
import { warn } from "./engine/warn.ts";
import { NotFoundError, ZarrError } from "./errors.ts";
import { readKey, setNative, storeId } from "./stores.ts";
import type { AbsolutePath, AsyncReadable, Readable, StoreGetOptions } from "./types.ts";

export type ConsolidatedFormat = "v2" | "v3";

export interface ConsolidatedMetadataOptions {
  /** Which to look for, or several in the order in which they count; both unless given, and v3 counts first. */
  readonly format?: ConsolidatedFormat | ConsolidatedFormat[];
  /** Where v2's is; `.zmetadata` unless given. */
  readonly metadataKey?: string;
}

type Contents = { path: AbsolutePath; kind: "array" | "group" }[];

export type Listable<Store extends Readable> = Store & { contents(): Contents };

/** As `src/js/consolidated.rs` writes it. */
interface Consolidation {
  store: number;
  contents: Contents;
  warnings: string[];
}

const DOCUMENT = /(^|\/)(zarr\.json|\.zarray|\.zgroup|\.zattrs)$/;

/** The store with its documents at hand; all else is the store's own. */
function listable<S extends AsyncReadable>(store: S, { store: id, contents }: Consolidation): Listable<S> {
  const handle = new Handle(id);
  const members: Record<PropertyKey, unknown> = {
    contents: () => contents.map((node) => ({ ...node })),
    get(key: AbsolutePath, options: StoreGetOptions = {}) {
      // Documents that went with an instance of the engine are read from the store again.
      if (!DOCUMENT.test(key) || handle.id === undefined) return store.get(key, options);
      return readKey(() => handle.id as number, key, undefined, options);
    },
  };
  const wrapped = new Proxy(store, {
    get(target, name) {
      if (name in members) return members[name];
      const member = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
    has: (target, name) => name in members || Reflect.has(target, name),
  });
  setNative(wrapped, (glue) => handle.id ?? storeId(glue, store));
  releases.register(wrapped, handle);
  return wrapped as Listable<S>;
}

const releases = new FinalizationRegistry((handle: Handle) => release(handle.id));

function release(id: number | undefined): void {
  if (id !== undefined && isEngineStarted()) callNow((glue) => glue.releaseStore(id));
}

/** Whether the next format may be tried: this one is not there, or not usable. */
const isElsewhere = (error: unknown) =>
  error instanceof ZarrError && (error.code === "NotFound" || error._tag === "InvalidMetadataError");

function load(store: object, format: ConsolidatedFormat, key: string): Promise<Consolidation> {
  return run(undefined, (glue, settle) =>
    glue.consolidatedStore(storeId(glue, store), format === "v2" ? 2 : 3, key, settle),
  );
}

/** The store, with the hierarchy's documents at hand; rejects when it has no consolidated metadata. */
export async function withConsolidatedMetadata<S extends AsyncReadable>(
  store: S,
  { format = ["v3", "v2"], metadataKey = ".zmetadata" }: ConsolidatedMetadataOptions = {},
): Promise<Listable<S>> {
  const formats = Array.isArray(format) ? format : [format];
  const loads = formats.map((each) => load(store, each, metadataKey));
  const outcomes = await Promise.allSettled(loads);
  const loaded = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const errors = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  const [first, ...others] = loaded;
  for (const { store: id } of others) release(id);
  if (!first) {
    throw (
      errors.find((error) => !isElsewhere(error)) ?? errors.at(-1) ?? new NotFoundError("no format was given")
    );
  }
  for (const warning of first.warnings) warn(warning, "/");
  return listable(store, first);
}

/** As `withConsolidatedMetadata`, but the store itself where it has none. */
export async function withMaybeConsolidatedMetadata<S extends AsyncReadable>(
  store: S,
  options: ConsolidatedMetadataOptions = {},
): Promise<Listable<S> | S> {
  try {
    return await withConsolidatedMetadata(store, options);
  } catch (error) {
    if (isElsewhere(error)) return store;
    throw error;
  }
}
