/**
 * `assetsOf` lists the Zarr data that a STAC document names, as candidates for `open`. It reads
 * only the document: it sends no request to the servers of assets, and follows no link.
 */
import { object, optionsOf, type Rules, SIGNAL } from "../../engine/ts/model/argument.ts";
import { InvalidMetadataError, ZarrError } from "../../engine/ts/model/errors.ts";
import { warn } from "../../engine/ts/port/warnings.ts";
import { addressOf, type Fault, type Json, listOf, objectOf, rootOf, storeOf, textOf } from "./addresses.ts";
import { type AssetsOptions, documentsIn, givenDocument, readDocument, shownUrl } from "./document.ts";
import {
  type AssetFormat,
  consolidationOf,
  type Described,
  describedOf,
  formatOf,
  nodeKindOf,
  zarrFormatOf,
} from "./formats.ts";

export type { AssetFormat, AssetsOptions };

/** Zarr data that a STAC document names. `open(asset.url, asset)` opens it. */
export interface Asset {
  /** The name of the asset in its document; for a link its relation, `store`. */
  key: string;
  /** The name of the alternative of the asset, if it is one (extension `alternate`). */
  alternate?: string;
  /** The address of the root of the store, with its query. */
  url: string;
  /** The path of the node below the root; `""` for the root. */
  path: string;
  /** What is at the address. */
  format: AssetFormat;
  /** The first of the roles; `""` if there is none, `"store"` for a link to a store. */
  role: string;
  /** The roles of the asset. */
  roles: readonly string[];
  /** The title; `""` if there is none. */
  title: string;
  /** The id of the item or collection; `""` if it has none. */
  document: string;
  /** Whether the root has consolidated metadata, if the document says so. */
  consolidated?: boolean;
  /** The kind of the node, `"array"` or `"group"`, if the document says so. */
  kind?: "array" | "group";
  /** The Zarr format, if the document says so. */
  zarrFormat?: 2 | 3;
  /** The snapshot of an Icechunk repository, if the document names one. */
  snapshot?: string;
  /**
   * Servers of virtual chunks that the document names. Pass them as `allowHosts` if you trust it.
   */
  hosts?: readonly string[];
}

const RULES: Rules<AssetsOptions> = { ...SIGNAL, base: "a URL", fetch: "a function" };

/** The most assets of a document. */
const MAX_ASSETS = 2 ** 16;
/** The longest address of a document, in characters, that the document tells itself. */
const MAX_BASE_CHARACTERS = 4096;
/** How many assets that are left out have a warning of their own. */
const MAX_WARNINGS = 3;

/** An asset or a link of a document, with the names that errors and results have of it. */
interface Entry {
  key: string;
  alternate?: string;
  field: string;
  asset: Described;
}

/** The assets with their alternatives, and the links to stores. */
function* entriesOf({ assets, links }: Json): Generator<Entry> {
  for (const [key, value] of Object.entries(objectOf(assets))) {
    const asset = objectOf(value);
    const field = `assets.${key}`;
    const own = describedOf(asset);
    yield { key, field, asset: { ...own, href: asset.href } };
    for (const [name, other] of Object.entries(objectOf(asset.alternate))) {
      const { href } = objectOf(other);
      // An alternative without an address is a way to open the same one.
      if (href !== undefined)
        yield {
          key,
          alternate: name,
          field: `${field}.alternate.${name}`,
          asset: { ...describedOf(objectOf(other), own), href },
        };
    }
  }
  for (const [at, link] of listOf(links).entries()) {
    const { rel, href, ...rest } = objectOf(link);
    if (rel === "store")
      yield {
        key: "store",
        field: `links[${at}]`,
        asset: { ...describedOf({ roles: ["store", "zarr"], ...rest }), href },
      };
  }
}

/** The address that relative ones are resolved against: that of the document itself. */
function baseOf(document: Json, url: string | undefined): string | undefined {
  const self = listOf(document.links).find((link) => objectOf(link).rel === "self");
  const href = textOf(objectOf(self).href);
  if (href === "") return url;
  const own = URL.canParse(href, url) ? new URL(href, url) : undefined;
  // All relative addresses begin with it.
  return own && /^https?:$/.test(own.protocol) && own.href.length <= MAX_BASE_CHARACTERS ? own.href : url;
}

/** An entry that is Zarr data, with its address as `open` takes it. */
interface AddressedEntry extends Entry {
  format: AssetFormat;
  address: string;
}

/** An asset that is left out, and why. */
interface LeftOut extends Fault {
  field: string;
  document: Json;
}

/** What the entries of a document say together. */
interface SortedAssets {
  assets: AddressedEntry[];
  /** The roots of stores that the document names. */
  roots: Set<string>;
  /** Those with consolidated metadata. */
  consolidated: Set<string>;
  /** The entries without an address that can be opened. */
  leftOut: LeftOut[];
}

/**
 * The addresses of the entries that are Zarr data, and the roots of their stores. `room` is the
 * number of entries that may still be; it ends after one more.
 */
function sortedIn(document: Json, url: string | undefined, room: number): SortedAssets {
  const base = baseOf(document, url);
  const sorted: SortedAssets = { assets: [], roots: new Set(), consolidated: new Set(), leftOut: [] };
  for (const entry of entriesOf(document)) {
    const { asset } = entry;
    // The consolidated metadata are at a root.
    const isMetadata = /\/\.zmetadata$/.test(textOf(asset.href));
    const format = formatOf(asset, textOf(asset.href).replace(/[?#].*$/s, ""));
    if (!isMetadata && !format) continue;
    if (sorted.assets.length + sorted.leftOut.length > room) break;
    const address = addressOf(asset, document, base);
    if (typeof address !== "string") {
      sorted.leftOut.push({ ...address, field: `${entry.field}.href`, document });
      continue;
    }
    if (isMetadata) sorted.consolidated.add(rootOf(address));
    if (isMetadata || entry.key === "store") sorted.roots.add(rootOf(address));
    if (format) sorted.assets.push({ ...entry, format, address });
  }
  return sorted;
}

/** Leaves out what is undefined. */
const withoutGaps = <T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;

function assetOf(entry: AddressedEntry, document: Json, { roots, consolidated }: SortedAssets): Asset {
  const { key, alternate, asset, address, format } = entry;
  const store = storeOf(address, roots);
  const roles = key === "store" ? ["store"] : (asset.roles ?? []);
  const { hosts = [] } = asset;
  return {
    key,
    ...store,
    format,
    role: roles[0] ?? "",
    roles,
    title: textOf(asset.title),
    document: textOf(document.id),
    ...withoutGaps({
      alternate,
      consolidated: consolidationOf(asset) ?? (consolidated.has(rootOf(store.url)) || undefined),
      kind: nodeKindOf(asset),
      zarrFormat: zarrFormatOf(asset),
      snapshot: textOf(asset["icechunk:snapshot_id"]) || undefined,
      hosts: hosts.length > 0 ? hosts : undefined,
    }),
  };
}

/** The most characters of a name in a message. */
const MAX_NAME_CHARACTERS = 200;

/**
 * Warns of entries that are left out: of the first ones by name, of the others by their number.
 * Lists of items have entries of the same name, so the item is named.
 */
function warnOf(leftOut: LeftOut[], source: string): void {
  for (const { field, message, expected, actual, document } of leftOut.slice(0, MAX_WARNINGS)) {
    const id = textOf(document.id).slice(0, MAX_NAME_CHARACTERS);
    const name = `${field.slice(0, MAX_NAME_CHARACTERS)}${id && ` of ${JSON.stringify(id)}`}`;
    warn(`${name} is left out: ${message}: expected ${expected}, found ${actual}`, source);
  }
  const others = leftOut.length - MAX_WARNINGS;
  if (others > 0)
    warn(`${others} more ${others === 1 ? "asset is" : "assets are"} left out, without an address`, source);
}

/**
 * Lists the Zarr data that a STAC document names: an item, a collection, a catalogue, or a list of
 * items or collections, at an address or as parsed JSON. These are hierarchies, archives of them,
 * references of kerchunk and Icechunk repositories, from `assets`, their alternatives and links of
 * relation `store`, in the order of the document. Two assets of the same data stay two. The list
 * is empty if there is no such data. A malformed asset is left out with a warning, and is an error
 * if no other is left.
 *
 *     const [first] = await assetsOf("https://host/collections/c/items/i");
 *     const node = await open(first.url, first);
 *
 * @param document The address of the document, or the document as parsed JSON.
 * @throws a `NotFoundError` if there is no document.
 * @throws an `InvalidMetadataError` for what is not a STAC document, and if all of its assets are
 *   malformed.
 * @throws a `Store` error if the server fails.
 * @throws a `Limit` error for more than 65 536 assets.
 */
export async function assetsOf(
  document: string | URL | object,
  options: AssetsOptions = {},
): Promise<Asset[]> {
  const { signal } = optionsOf(options, RULES);
  signal?.throwIfAborted();
  const isAddress = typeof document === "string" || document instanceof URL;
  const read = isAddress
    ? await readDocument(document, options)
    : givenDocument(object(document, "document"), options);
  signal?.throwIfAborted();
  const source =
    read.url === undefined || !isAddress ? "the document" : `the document at ${shownUrl(read.url)}`;
  const found: Asset[] = [];
  const leftOut: LeftOut[] = [];
  for (const each of documentsIn(read.document, source)) {
    const sorted = sortedIn(each, read.url, MAX_ASSETS - found.length - leftOut.length);
    for (const entry of sorted.assets) found.push(assetOf(entry, each, sorted));
    for (const entry of sorted.leftOut) leftOut.push(entry);
    if (found.length + leftOut.length > MAX_ASSETS)
      throw new ZarrError("Limit", `${source} has too many assets`, { expected: `at most ${MAX_ASSETS}` });
  }
  const [first] = leftOut;
  if (found.length === 0 && first) {
    const { field, message, expected, actual } = first;
    throw new InvalidMetadataError(message, { field: field.slice(0, MAX_NAME_CHARACTERS), expected, actual });
  }
  warnOf(leftOut, source);
  return found;
}
