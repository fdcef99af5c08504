/**
 * How nodes are opened. Their summaries are requested from the engine, which also reads their
 * documents again. They are registered: a change through one object updates all others of the same
 * path and store at once; nodes of other stores and tabs need `refresh`. Arrays are wrapped in the
 * array extensions of their store.
 */

import type { DataTypeFallback, NodeSummary } from "../contract/contract.ts";
import { needFunction, type Rules, SIGNAL } from "../engine/ts/model/argument.ts";
import { NotFoundError, ZarrError } from "../engine/ts/model/errors.ts";
import { isPromiseLike } from "../engine/ts/model/realms.ts";
import type { Readable } from "../engine/ts/model/types.ts";
import { storeBehind } from "../engine/ts/port/definitions.ts";
import { call, running } from "../engine/ts/port/engine.ts";
import { describeWithCodecs } from "./array_definitions.ts";
import type { Location } from "./location.ts";
import type { AttributeOptions } from "./node_facts.ts";
import { EARLY, type EarlyNode, type EarlyStart } from "./store/fetch_store.ts";
import { ACCESS_RULES, type IcechunkAccess } from "./store/icechunk.ts";

/**
 * Options of `open`. `branch`, `tag`, `snapshot` and `verify` are for Icechunk repositories, and
 * `allowHosts` is for kerchunk's references too.
 */
export interface OpenOptions extends AttributeOptions, IcechunkAccess {
  /**
   * The expected kind of node, `"array"` or `"group"`. Default: either.
   *
   * @throws a `NotFoundError` for a node of the other kind.
   */
  kind?: "array" | "group" | undefined;
  /**
   * Path below the given location, taken literally: `.` and `%` have no meaning. Default: the
   * location itself.
   */
  path?: string | undefined;
  /**
   * Whether to open the node from the consolidated metadata at the root of the store: no document
   * of the node itself is requested. An Icechunk repository and references need none. Default:
   * false.
   *
   * @throws a `NotFoundError` if there is no consolidated metadata.
   */
  consolidated?: boolean | undefined;
  /** Aborts the call, which rejects at once with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** `"reload"` bypasses all caches, those of HTTP too. Default: caches are used. */
  cache?: "reload" | undefined;
  /**
   * What to do if a draft's data type is unknown and its metadata offers another one: `"warn"`
   * reads that and warns, `"allow"` reads it, `"refuse"` rejects. Default: `"warn"`.
   */
  dataTypeFallback?: DataTypeFallback | undefined;
  /**
   * `false` omits the request for v2's `.zattrs`. The node then has no attributes and no dimension
   * names. Default: true.
   */
  attrs?: boolean | undefined;
}

/** What the options of `open` must be. */
export const OPEN_RULES: Rules<OpenOptions> = {
  ...SIGNAL,
  ...ACCESS_RULES,
  kind: ["array", "group"],
  path: "a text",
  consolidated: "a boolean",
  cache: ["reload"],
  dataTypeFallback: ["warn", "allow", "refuse"] satisfies DataTypeFallback[],
  attrs: "a boolean",
  exactIntegers: "a boolean",
};

/**
 * Stores with v3 nodes. There, `zarr.json` is requested first, and v2's documents only if it does
 * not exist.
 */
const v3Stores = new WeakSet<object>();

/**
 * Opened groups that are v2 and not v3: the beginnings of the paths below them. Nodes below are
 * looked for as v2 first, so that `zarr.json` is requested once for a group and not again for each
 * of its arrays.
 */
const v2Groups = new WeakMap<object, Set<string>>();

/** Whether a group above a path is v2. */
const isBelowV2 = (store: unknown, path: string): boolean =>
  [...(v2Groups.get(store as object) ?? [])].some((group) => path.startsWith(group));

/** What an open call has learned about the formats of a store. */
function learn(store: object, { kind, dialect, path }: NodeSummary): void {
  if (dialect === "v3") v3Stores.add(store);
  if (dialect !== "v2" || kind !== "group") return;
  const groups = v2Groups.get(store) ?? new Set();
  v2Groups.set(store, groups.add(path === "/" ? path : `${path}/`));
}

/** Whether to try another format, because this one is absent or invalid. */
export const isElsewhere = (error: unknown): boolean =>
  error instanceof ZarrError && (error.code === "NotFound" || error._tag === "InvalidMetadataError");

/** Whether there is no node at all, not even one of another kind. */
export const isAbsent = (error: unknown) => error instanceof NotFoundError && error.found === undefined;

/** Whether the server refused to tell whether there is a node, as buckets do for absent files. */
export const isRefused = (error: unknown) => (error as ZarrError | null)?.actual === "status 403";

/** Sends a node's requests from the page while the engine starts. */
function askEarly(store: unknown, node: EarlyNode): EarlyStart | undefined {
  const early = store as { [EARLY]?(node: EarlyNode): EarlyStart | undefined };
  return typeof early?.[EARLY] === "function" ? early[EARLY](node) : undefined;
}

/** Opens a node in the engine and returns its summary. */
export async function openSummary(
  location: Pick<Location<unknown>, "store" | "path">,
  options: OpenOptions,
  format: 0 | 2 | 3,
): Promise<NodeSummary> {
  const { store, path } = location;
  const { kind = "", dataTypeFallback = "warn", attrs = true, signal, cache } = options;
  const below = options.path === undefined ? path : `${path}/${options.path}`;
  if (format === 0 && cache !== "reload" && isBelowV2(store, below)) {
    try {
      return await openSummary(location, options, 2);
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }
  const v3First = v3Stores.has(store as object);
  const reload = cache === "reload" ? 1 : 0;
  signal?.throwIfAborted();
  const isEarly = !running() && !reload;
  const early = isEarly ? askEarly(store, { path: below, format: v3First ? 3 : format, attrs }) : undefined;
  const opening = call(
    "open",
    (objects) => ({
      store: objects.store(store),
      path: below,
      kind: kind || undefined,
      format: format || undefined,
      dataTypeFallback,
      v3First,
      attrs: !!attrs,
      reload,
      early: early && { urls: early.urls, callback: objects.callback(early.callback) },
    }),
    { signal },
  );
  const summary = await opening.finally(() => early?.giveUp());
  learn(store as object, summary);
  await describeWithCodecs(summary, signal);
  return summary;
}

interface SummaryOptions {
  kind: "array" | "group";
  format: 2 | 3;
  signal?: AbortSignal;
  /** Whether HTTP caches may answer after the server has confirmed what they hold. */
  asks?: boolean;
}

/** Reads the documents of an open node again, bypassing all caches. */
export async function readSummaryAnew(
  { store, path }: Pick<Location<unknown>, "store" | "path">,
  { kind, format, signal, asks }: SummaryOptions,
): Promise<NodeSummary> {
  const reload = asks ? 2 : 1;
  const options = { dataTypeFallback: "warn", v3First: false, attrs: true, reload } as const;
  const summary = await call(
    "open",
    (objects) => ({ ...options, store: objects.store(store), path, kind, format }),
    { signal },
  );
  await describeWithCodecs(summary, signal);
  return summary;
}

/** The key of the method that updates a node from a new summary. */
export const UPDATE: unique symbol = Symbol("zarr-wasm.update");

/** An `Array` or a `Group`. */
interface OpenNode {
  readonly store: unknown;
  readonly path: string;
  readonly kind: NodeSummary["kind"];
  [UPDATE](summary: NodeSummary): void;
}

/** Open nodes by store and path. */
const nodes = new WeakMap<object, Map<string, Set<WeakRef<OpenNode>>>>();

const collected = new FinalizationRegistry<() => void>((forget) => forget());

/** Registers a node for updates. It is held weakly. */
export function rememberOpen(node: OpenNode): void {
  const store = storeBehind(node.store) as object;
  const { path } = node;
  const ofStore = nodes.get(store) ?? new Map<string, Set<WeakRef<OpenNode>>>();
  nodes.set(store, ofStore);
  const ofPath = ofStore.get(path) ?? new Set();
  ofStore.set(path, ofPath);
  const reference = new WeakRef(node);
  ofPath.add(reference);
  collected.register(node, () => {
    ofPath.delete(reference);
    if (ofPath.size === 0 && ofStore.get(path) === ofPath) ofStore.delete(path);
  });
}

/** A node and all others of the same path and store. */
export function openNodes(node: OpenNode): Set<OpenNode> {
  const open = nodes.get(storeBehind(node.store) as object)?.get(node.path) ?? [];
  const others = [...open].map((reference) => reference.deref());
  return new Set([node, ...others.filter((other) => other !== undefined)]);
}

/** Updates a node and all others of the same path and store. */
export function updateAll(node: OpenNode, summary: NodeSummary): void {
  for (const each of openNodes(node)) {
    if (each.kind === summary.kind) each[UPDATE](summary);
  }
}

type AnyExtension = (value: never) => unknown;

/** Applies extensions to a value, the innermost first. Returns a promise if one of them does. */
export function applied(value: unknown, extensions: readonly AnyExtension[]): unknown {
  for (const extension of extensions) needFunction(extension, "extension");
  return extensions.reduce<unknown>(
    (inner, extension) =>
      isPromiseLike(inner) ? inner.then((settled) => extension(settled as never)) : extension(inner as never),
    value,
  );
}

/** Applies the array extensions of the array's store. */
export async function inExtensionsOfStore<A extends { readonly store: Readable }>(array: A): Promise<A> {
  const { arrayExtensions = [] } = array.store as Readable & { arrayExtensions?: readonly AnyExtension[] };
  return (await applied(array, arrayExtensions)) as A;
}
