/**
 * `open`: opens an `Array` or a `Group` at a URL, in a store, or at a location. Documents of both
 * formats are requested at once; v3 wins if a node has both.
 */
import { lazy } from "#lazy";
import { object, optionsOf } from "../engine/ts/model/argument.ts";
import type { DataType, Readable } from "../engine/ts/model/types.ts";
import type { Array as ZarrArray } from "./array.ts";
import { type Group, type Node, nodeOf } from "./group.ts";
import { type Files, isLocation, Location, readableLocation } from "./location.ts";
import type { Dialect } from "./node_facts.ts";
import {
  inExtensionsOfStore,
  isAbsent,
  isElsewhere,
  isRefused,
  OPEN_RULES,
  type OpenOptions,
  openSummary,
} from "./opened_nodes.ts";
import { namedState, rememberPlain, repositoryIn } from "./repository.ts";
import type { FetchStore } from "./store/fetch_store.ts";

export type { Node, OpenOptions };

type LocationOrStore<S> = Location<S> | S;
type ArrayOptions = OpenOptions & { kind: "array" };
type GroupOptions = OpenOptions & { kind: "group" };

async function openNode(place: unknown, options: OpenOptions, format: 0 | 2 | 3): Promise<Node<Readable>> {
  // An asset of `assetsOf` is right, too.
  const isAsset = "roles" in object(options, "options");
  const others = isAsset ? "anyone's" : undefined;
  const location = statedLocation(place, optionsOf(options, OPEN_RULES, "options", others));
  try {
    const known = options.consolidated ? await consolidated(location, options, format) : location;
    return await openAt(known, options, format);
  } catch (error) {
    const isUntold = isAbsent(error) || isRefused(error);
    const container = isUntold ? await containerIn(location.store, place, options, format) : undefined;
    if (!container) throw error;
    return openAt(new Location(container, location.path), options, format);
  }
}

/** The location in the store with the consolidated metadata of its root. */
async function consolidated(
  { store, path }: Location<unknown>,
  { signal }: OpenOptions,
  format: 0 | 2 | 3,
): Promise<Location<unknown>> {
  const { consolidatedStore } = await lazy();
  return new Location(await consolidatedStore(store, format, signal), path);
}

/** What a store holds instead of a hierarchy: an Icechunk repository, or references. */
async function containerIn(
  store: unknown,
  place: unknown,
  options: OpenOptions,
  format: 0 | 2 | 3,
): Promise<Readable | undefined> {
  const repository = format === 2 ? undefined : await repositoryIn(store, options);
  if (repository || format === 3 || isLocation(place)) return repository;
  return (await lazy()).containerAt(store, place, options);
}

/** The location that is given, in the state of a repository that the options name. */
function statedLocation(place: unknown, options: OpenOptions): Location<unknown> {
  const { store, path } = readableLocation(place, options);
  return new Location(namedState(place, store, options), path);
}

async function openAt(
  location: Location<unknown>,
  options: OpenOptions,
  format: 0 | 2 | 3,
): Promise<Node<Readable>> {
  const summary = await openSummary(location, options, format);
  rememberPlain(location.store);
  const node = nodeOf(location.store as Readable, summary, options);
  return node.kind === "array" ? inExtensionsOfStore(node) : node;
}

/** Opens a node of one format only. */
interface OpenFormat {
  /**
   * Opens a node of one format only. The other format is not requested.
   *
   * @param place A URL, files, a store or a location, as for `open`.
   * @returns an `Array` or a `Group`, as `kind` says, or as the metadata says.
   * @throws the errors of `open`.
   */
  <S extends Readable>(place: LocationOrStore<S>, options: GroupOptions): Promise<Group<S>>;
  <S extends Readable>(place: LocationOrStore<S>, options: ArrayOptions): Promise<ZarrArray<DataType, S>>;
  <S extends Readable>(place: LocationOrStore<S>, options?: OpenOptions): Promise<Node<S>>;
  // The most general one is the last: the compiler explains a wrong option by it.
  (place: string | URL | Files | LocationOrStore<Readable>, options?: OpenOptions): Promise<Node<Readable>>;
}

const openerOf = (format: 2 | 3) =>
  ((place: unknown, options: OpenOptions = {}) => openNode(place, options, format)) as OpenFormat;

const [openV2, openV3] = [openerOf(2), openerOf(3)];

/**
 * Opens the node at a URL, in files (an archive, a folder), at the root of a store, or at a
 * location. A URL whose path ends in `.zip` or `.ozx` is an archive, one in `.parq` or `.parquet` a
 * folder of kerchunk's references, and one in `.json` a document of them. The URL of a node's own
 * document stands for the node. In Node, paths and `file:` URLs are taken too.
 *
 * Documents of v3 and v2 are requested side by side. A node with both is opened as v3.
 *
 *     const array = await open("https://host/data.zarr", { path: "air", kind: "array" });
 *
 * @param url The address of the root, of a node, of an archive or of references. A relative one is
 *   resolved against the page.
 * @param files An archive (`Blob`, `File`), or a folder that the user has chosen or dropped.
 * @param place A store, or a location in one.
 * @returns an `Array` or a `Group`, as `kind` says, or as the metadata says.
 * @throws a `NotFoundError` if there is no node, or one of another kind.
 * @throws an `InvalidMetadataError` if the metadata is invalid. That of a STAC document is:
 *   `assetsOf` lists the data that such a document names.
 * @throws an `UnsupportedError` for an extension that the metadata requires and that is not known.
 * @throws a `Store` error if the store or its server fails.
 * @throws the signal's reason after an abort.
 */
export function open(url: string | URL, options: GroupOptions): Promise<Group<FetchStore>>;
export function open(url: string | URL, options: ArrayOptions): Promise<ZarrArray<DataType, FetchStore>>;
export function open(url: string | URL, options?: OpenOptions): Promise<Node<FetchStore>>;
export function open(files: Files, options: GroupOptions): Promise<Group<Readable>>;
export function open(files: Files, options: ArrayOptions): Promise<ZarrArray<DataType, Readable>>;
export function open(files: Files, options?: OpenOptions): Promise<Node<Readable>>;
export function open<S extends Readable>(place: LocationOrStore<S>, options: GroupOptions): Promise<Group<S>>;
export function open<S extends Readable>(
  place: LocationOrStore<S>,
  options: ArrayOptions,
): Promise<ZarrArray<DataType, S>>;
export function open<S extends Readable>(place: LocationOrStore<S>, options?: OpenOptions): Promise<Node<S>>;
// The most general one is the last: the compiler explains a wrong option by it.
export function open(
  place: string | URL | Files | LocationOrStore<Readable>,
  options?: OpenOptions,
): Promise<Node<Readable>>;
export async function open(place: unknown, options: OpenOptions = {}): Promise<Node<Readable>> {
  if (open.v2 === openV2 && open.v3 === openV3) return openNode(place, options, 0);
  // The caller may have replaced `open.v2` and `open.v3`, which zarrita allows.
  try {
    return await open.v3(place as Readable, options);
  } catch (error) {
    if (!isElsewhere(error)) throw error;
    return open.v2(place as Readable, options);
  }
}

/** Opens a node of Zarr v2 only: no document of v3 is requested. */
open.v2 = openV2;
/** Opens a node of Zarr v3 only: no document of v2 is requested. */
open.v3 = openV3;

/**
 * Returns the function that opens other nodes of the same hierarchy. It requests only documents of
 * the same format.
 */
export const openerBeside = (node: { dialect: Dialect }): OpenFormat =>
  node.dialect === "v2" ? open.v2 : open.v3;
