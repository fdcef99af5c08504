/**
 * `open`: from a URL, a store or a place in one to an `Array` or a `Group`. Both formats are asked for at once; v3 wins where
 * a node has both.
 */
import { Array as ZarrArray } from "./array.ts";
import { describeWithCodecs } from "./codecs.ts";
import { isEngineStarted, run } from "../engine/instances.ts";
import { warn } from "../engine/warn.ts";
import { ZarrError } from "../model/errors.ts";
import { inExtensionsOfStore } from "../zarrita/extend.ts";
import { Group } from "./group.ts";
import { Location } from "./location.ts";
import { type AttributeOptions, type Dialect, type NodeSummary, OpenedNode } from "./node_facts.ts";
import { rememberOpen } from "./open_nodes.ts";
import { type Files, storeOf } from "../store/place.ts";
import { askEarly, type FetchStore, storeId } from "../store/native_store.ts";
import type { AbsolutePath, DataType, Readable } from "../model/types.ts";

export interface OpenOptions extends AttributeOptions {
  /** Fail with a `NotFoundError` for the other kind. */
  kind?: "array" | "group";
  /** A path below the place that is opened, taken literally. */
  path?: string;
  /** Ends the call; it rejects with the signal's reason at once. */
  signal?: AbortSignal;
  /** `"reload"`: ask the server, past all caches. */
  cache?: "reload";
  /**
   * Where a draft's data type is not known here, and its metadata offers another: `"warn"` (the default) reads that and says so,
   * `"allow"` reads it, `"refuse"` fails.
   */
  dataTypeFallback?: "warn" | "allow" | "refuse";
  /** `false` saves the request for v2's `.zattrs`: the node then has no attributes, and no dimension names. */
  attrs?: boolean;
}

type Place<S> = Location<S> | S;
export type Node<S extends Readable> = ZarrArray<DataType, S> | Group<S>;
type ArrayOptions = OpenOptions & { kind: "array" };
type GroupOptions = OpenOptions & { kind: "group" };

/** The place that a URL, a store or a location means. */
export function locationOf(place: unknown): Location<unknown> {
  const isLocation = typeof place === "object" && place !== null && "store" in place && "path" in place;
  return isLocation ? (place as Location<unknown>) : new Location(storeOf(place));
}

/** Stores in which v3 was found: its document is asked for first, and v2's only where there is none. */
const v3Stores = new WeakSet<object>();

async function openNode(place: unknown, options: OpenOptions, format: 0 | 2 | 3): Promise<Node<Readable>> {
  const { store, path } = locationOf(place);
  const { kind = "", dataTypeFallback = "warn", attrs = true, signal } = options;
  const below = options.path === undefined ? path : `${path}/${options.path}`;
  const isV3 = v3Stores.has(store as object);
  const isReload = options.cache === "reload";
  signal?.throwIfAborted();
  const giveUp =
    isEngineStarted() || isReload
      ? () => {}
      : askEarly(store, { path: below, format: isV3 ? 3 : format, attrs });
  const summary = await run<NodeSummary>(signal, (glue, settle) =>
    glue.open(
      storeId(glue, store),
      below,
      kind,
      format,
      dataTypeFallback,
      isV3,
      attrs,
      isReload,
      signal,
      settle,
    ),
  ).finally(giveUp);
  if (summary.dialect === "v3") v3Stores.add(store as object);
  await describeWithCodecs(summary, signal);
  const node = nodeOf(store as Readable, summary, options);
  return node.kind === "array" ? inExtensionsOfStore(node) : node;
}

/** The class of a node that the engine has opened or made. */
export function nodeOf<S extends Readable>(
  store: S,
  summary: NodeSummary,
  options: AttributeOptions = {},
): Node<S> {
  for (const warning of summary.warnings) warn(warning, summary.path);
  const opened = new OpenedNode(summary, options);
  const at = summary.path as AbsolutePath;
  const node = summary.kind === "array" ? new ZarrArray(store, at, opened) : new Group(store, at, opened);
  rememberOpen(node);
  return node;
}

function openV2<S extends Readable>(place: Place<S>, options: GroupOptions): Promise<Group<S>>;
function openV2<S extends Readable>(place: Place<S>, options: ArrayOptions): Promise<ZarrArray<DataType, S>>;
function openV2<S extends Readable>(place: Place<S>, options?: OpenOptions): Promise<Node<S>>;
function openV2(place: unknown, options: OpenOptions = {}): Promise<Node<Readable>> {
  return openNode(place, options, 2);
}

function openV3<S extends Readable>(place: Place<S>, options: GroupOptions): Promise<Group<S>>;
function openV3<S extends Readable>(place: Place<S>, options: ArrayOptions): Promise<ZarrArray<DataType, S>>;
function openV3<S extends Readable>(place: Place<S>, options?: OpenOptions): Promise<Node<S>>;
function openV3(place: unknown, options: OpenOptions = {}): Promise<Node<Readable>> {
  return openNode(place, options, 3);
}

export function open(url: string | URL, options: GroupOptions): Promise<Group<FetchStore>>;
export function open(url: string | URL, options: ArrayOptions): Promise<ZarrArray<DataType, FetchStore>>;
export function open(url: string | URL, options?: OpenOptions): Promise<Node<FetchStore>>;
export function open(files: Files, options: GroupOptions): Promise<Group<Readable>>;
export function open(files: Files, options: ArrayOptions): Promise<ZarrArray<DataType, Readable>>;
export function open(files: Files, options?: OpenOptions): Promise<Node<Readable>>;
export function open<S extends Readable>(place: Place<S>, options: GroupOptions): Promise<Group<S>>;
export function open<S extends Readable>(
  place: Place<S>,
  options: ArrayOptions,
): Promise<ZarrArray<DataType, S>>;
export function open<S extends Readable>(place: Place<S>, options?: OpenOptions): Promise<Node<S>>;
/**
 * Opens the node at a URL, in files (an archive, a folder), at the root of a store, or at a place in one. A URL that ends in
 * `.zip` or `.ozx` is an archive's.
 */
export async function open(place: unknown, options: OpenOptions = {}): Promise<Node<Readable>> {
  if (open.v2 === openV2 && open.v3 === openV3) return openNode(place, options, 0);
  // Somebody has put calls of their own in their place, as zarrita lets them.
  try {
    return await open.v3(place as Readable, options);
  } catch (error) {
    if (!isElsewhere(error)) throw error;
    return open.v2(place as Readable, options);
  }
}

/** Whether the other format may be tried: this one is not there, or not usable. */
const isElsewhere = (error: unknown) =>
  error instanceof ZarrError && (error.code === "NotFound" || error._tag === "InvalidMetadataError");

/** Looks for Zarr v2 alone. */
open.v2 = openV2;
/** Looks for Zarr v3 alone. */
open.v3 = openV3;

/** What leads to another node of the same hierarchy, which is of one format: the other format's documents are not asked for. */
export const openerBeside = (node: { dialect: Dialect }): typeof openV3 =>
  node.dialect === "v2" ? open.v2 : open.v3;
