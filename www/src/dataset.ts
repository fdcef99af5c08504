/**
 * An opened data set: its root node, the nodes that can be listed, and any other node by path.
 *
 * A plain HTTP server cannot list a folder, so the list comes from consolidated metadata, else from the attributes of a
 * picture pyramid, else it is the root alone and the page says so.
 */

import * as zarr from "zarr-wasm";
import { readMultiscale } from "./multiscales.js";
import type { Wire } from "./wire.js";

export type ArrayNode = zarr.Array<zarr.DataType, zarr.Readable>;
export type GroupNode = zarr.Group<zarr.Readable>;
export type DatasetNode = ArrayNode | GroupNode;

export interface Entry {
  /** Path below the root without slashes at its ends; `""` is the root. */
  path: string;
  kind: "array" | "group";
}

export type Listing = "consolidated" | "multiscales" | "none";

export class Dataset {
  readonly #nodes = new Map<string, Promise<DatasetNode>>();

  constructor(
    readonly url: URL,
    readonly root: DatasetNode,
    readonly entries: readonly Entry[],
    readonly listing: Listing,
  ) {
    this.#nodes.set("", Promise.resolve(root));
  }

  /** The node at a path, opened once, whoever asks; one that could not be opened is tried again. */
  node(path: string): Promise<DatasetNode> {
    const known = this.#nodes.get(path);
    if (known) return known;
    const opened = this.#open(path);
    this.#nodes.set(path, opened);
    opened.catch(() => this.#nodes.delete(path));
    return opened;
  }

  /** Nodes nearly always have the format of the hierarchy's root: requests for the other one are saved. */
  async #open(path: string): Promise<DatasetNode> {
    const { store, zarrFormat } = this.root;
    try {
      return await (zarrFormat === 3 ? zarr.open.v3(store, { path }) : zarr.open.v2(store, { path }));
    } catch (error) {
      if (!zarr.isZarritaError(error, "NotFoundError")) throw error;
      return zarr.open(store, { path });
    }
  }
}

export async function openDataset(url: URL, wire: Wire, signal: AbortSignal): Promise<Dataset> {
  // The package cannot know that this `fetch` adds no credentials: a bucket that may not be listed says 403 for absent chunks.
  const missingOn403 = url.search === "" && url.origin !== location.origin;
  const store = await zarr.withMaybeConsolidatedMetadata(
    new zarr.FetchStore(url.href, { fetch: wire.fetch, missingOn403 }),
  );
  signal.throwIfAborted();
  const root = await zarr.open(store, { signal });
  if ("contents" in store) return new Dataset(url, root, sorted(store.contents()), "consolidated");
  const levels = root.kind === "group" ? (readMultiscale(root.attrs)?.paths ?? []) : [];
  const entries: Entry[] = [{ path: "", kind: root.kind }];
  for (const path of levels) entries.push({ path, kind: "array" });
  return new Dataset(url, root, entries, levels.length > 0 ? "multiscales" : "none");
}

function sorted(contents: { path: string; kind: "array" | "group" }[]): Entry[] {
  const entries = contents.map(({ path, kind }) => ({ path: path.replace(/^\/+|\/+$/g, ""), kind }));
  if (!entries.some((entry) => entry.path === "")) entries.push({ path: "", kind: "group" });
  const order = new Intl.Collator("en", { numeric: true });
  return entries.sort((a, b) => order.compare(a.path, b.path));
}
