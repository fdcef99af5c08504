/**
 * Consolidated metadata: one document with those of a whole hierarchy. The engine parses it and
 * opens nodes from it. This file wraps the store and adds zarrita's `contents()`.
 */
import { need, optionsOf, type Rules } from "../engine/ts/model/argument.ts";
import { errorFromRecord, NotFoundError, ZarrError } from "../engine/ts/model/errors.ts";
import { HEAD_START_MS } from "../engine/ts/model/limits.ts";
import type { AbsolutePath, AsyncReadable, Readable, StoreGetOptions } from "../engine/ts/model/types.ts";
import type { Connection } from "../engine/ts/port/connection.ts";
import { setDefiner } from "../engine/ts/port/definitions.ts";
import { call, running } from "../engine/ts/port/engine.ts";
import type { Consolidation } from "../engine/ts/port/operations.ts";
import { warn } from "../engine/ts/port/warnings.ts";
import { type Contents, rememberContents } from "./consolidated_children.ts";
import { isElsewhere } from "./opened_nodes.ts";
import { readKey } from "./store/native_store.ts";

/** A format of consolidated metadata: `"v2"` has `.zmetadata`, `"v3"` has them in `zarr.json`. */
export type ConsolidatedFormat = "v2" | "v3";

/** Options of `withConsolidatedMetadata` and `withMaybeConsolidatedMetadata`. */
export interface ConsolidatedMetadataOptions {
  /**
   * The format to look for, `"v2"` or `"v3"`, or several in order of preference. Default: `"v3"`,
   * then `"v2"` if the root has no document of v3.
   */
  readonly format?: ConsolidatedFormat | ConsolidatedFormat[] | undefined;
  /** Key of v2's consolidated metadata. Default: `.zmetadata`. */
  readonly metadataKey?: string | undefined;
}

/** A store with consolidated metadata. Nodes are opened from it without further requests. */
export type Listable<Store extends Readable> = Store & {
  /** The paths and kinds of all nodes. An invalid one has an `error`. */
  contents(): Contents;
};

function contentsOf({ paths, ends, arrays, errors }: Consolidation): Contents {
  const reports = new Map(errors);
  let start = 0;
  return Array.from(ends, (end, at) => {
    const path = paths.slice(start, end) as AbsolutePath;
    start = end;
    const content: Contents[number] = { path, kind: arrays[at] === 1 ? "array" : "group" };
    const report = reports.get(path);
    if (report) content.error = errorFromRecord(report);
    return content;
  });
}

const DOCUMENT = /(^|\/)(zarr\.json|\.zarray|\.zgroup|\.zattrs)$/;

/** Where the metadata is. */
interface Source {
  format: 2 | 3;
  key: string;
}

/** The metadata, and the engine that loaded it. Another engine loads it again. */
interface Loaded extends Consolidation {
  source: Source;
  connection: Connection | undefined;
}

/** The store, with `get` answering metadata documents from the consolidated ones. */
function listable<S extends AsyncReadable>(store: S, consolidation: Loaded): Listable<S> {
  const { connection, loaded, source } = consolidation;
  const isLoaded = () => connection !== undefined && running() === connection;
  const members: Record<PropertyKey, unknown> = {
    contents: () => contentsOf(consolidation),
    get(key: AbsolutePath, options: StoreGetOptions = {}) {
      if (!DOCUMENT.test(key)) return store.get(key, options);
      return readKey((objects) => objects.store(wrapped), key, undefined, options);
    },
  };
  const wrapped: object = new Proxy(store, {
    get(target, name) {
      if (Object.hasOwn(members, name)) return members[name];
      const member = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
    has: (target, name) => Object.hasOwn(members, name) || Reflect.has(target, name),
  });
  setDefiner(wrapped, (objects) => {
    const inner = { ...source, store: objects.store(store) };
    return () => ({ kind: "consolidated", source: inner, loaded: isLoaded() ? loaded : undefined });
  });
  rememberContents(wrapped, () => contentsOf(consolidation));
  return wrapped as Listable<S>;
}

async function load(store: object, format: ConsolidatedFormat, key: string): Promise<Loaded> {
  const source: Source = { format: format === "v2" ? 2 : 3, key };
  const found = await call("loadConsolidated", (objects) => ({ ...source, store: objects.store(store) }));
  return { ...found, source, connection: running() };
}

/** The formats in order of preference, if the caller names none. */
const FORMATS: readonly ConsolidatedFormat[] = ["v3", "v2"];

const RULES: Rules<ConsolidatedMetadataOptions> = { format: "anything", metadataKey: "a text" };

/** Whether a format's document exists but has no valid consolidated metadata. */
const isThere = (error: unknown) => error instanceof ZarrError && error._tag === "InvalidMetadataError";

/** Parts of the head start. A thread that is busy, as when code is compiled, counts as one part. */
const PARTS = 6;

/** Resolves to false after the head start, in which the thread was free to take an answer. */
async function headStart(signal: { isOver: boolean }): Promise<false> {
  // The engine answers this once its wasm runs. The time of its start is not that of the server.
  await call("ownCodecs", () => ({ names: [] })).catch(() => {});
  for (let part = 0; part < PARTS && !signal.isOver; part += 1)
    await new Promise((resolve) => setTimeout(resolve, HEAD_START_MS / PARTS));
  return false;
}

/** Whether the first format answers in time, so that no other is needed. See `loadAll`. */
async function isEnough(loading: Promise<Loaded>, settles: (error: unknown) => boolean): Promise<boolean> {
  const signal = { isOver: false };
  const answered = loading
    .then(() => true, settles)
    .finally(() => {
      signal.isOver = true;
    });
  return Promise.race([answered, headStart(signal)]);
}

/**
 * Loads the first format. The others are loaded too if it takes long, or fails with an error that
 * does not settle the question (`settles`).
 */
async function loadAll(
  [first, ...others]: readonly ConsolidatedFormat[],
  load: (format: ConsolidatedFormat) => Promise<Loaded>,
  settles: (error: unknown) => boolean,
): Promise<PromiseSettledResult<Loaded>[]> {
  if (!first) return [];
  const loading = load(first);
  const rest = others.length === 0 || (await isEnough(loading, settles)) ? [] : others;
  const outcomes = await Promise.allSettled([loading, ...rest.map(load)]);
  const [outcome] = outcomes;
  // The result must not depend on how fast the server is.
  return outcome?.status === "rejected" && settles(outcome.reason)
    ? [outcome, ...outcomes.slice(1).map(released)]
    : outcomes;
}

/** Releases loaded metadata that is not used. */
function released(outcome: PromiseSettledResult<Loaded>): PromiseRejectedResult {
  if (outcome.status === "rejected") return outcome;
  release(outcome.value);
  return { status: "rejected", reason: new NotFoundError("consolidated metadata of the root's format") };
}

function release({ connection, loaded: id }: Loaded): void {
  connection?.post({ type: "release", kind: "store", id });
}

/**
 * Wraps a store so that nodes are opened from its consolidated metadata.
 *
 *     const store = await withConsolidatedMetadata(new FetchStore("https://host/data.zarr"));
 *     const array = await open(root(store).resolve("air"), { kind: "array" });
 *
 * @param store The store. The metadata is at its root.
 * @throws a `NotFoundError` if the store has no consolidated metadata.
 * @throws an `InvalidMetadataError` if the consolidated metadata cannot be parsed.
 */
export async function withConsolidatedMetadata<S extends AsyncReadable>(
  store: S,
  options: ConsolidatedMetadataOptions = {},
): Promise<Listable<S>> {
  const { format, metadataKey = ".zmetadata" } = optionsOf(options, RULES);
  const formats = format === undefined ? FORMATS : [format].flat();
  for (const one of formats) need(FORMATS.includes(one), "format", FORMATS.join(" or "), one);
  // A v3 root has v3 nodes, and v2's document describes other nodes. A caller who names both
  // formats gets either.
  const settles = (error: unknown) => format === undefined && isThere(error);
  const outcomes = await loadAll(formats, (each) => load(store, each, metadataKey), settles);
  const loaded = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const errors = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  const [first, ...others] = loaded;
  for (const other of others) release(other);
  if (!first) {
    throw (
      errors.find(settles) ??
      errors.find((error) => !isElsewhere(error)) ??
      errors.at(-1) ??
      new NotFoundError("consolidated metadata: the option format is empty")
    );
  }
  for (const warning of first.warnings) warn(warning, "/");
  return listable(store, first);
}

/**
 * As `withConsolidatedMetadata`, but resolves to the store itself if it has no valid consolidated
 * metadata.
 *
 * @param store The store. The metadata is at its root.
 */
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
