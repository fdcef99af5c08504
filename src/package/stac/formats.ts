/**
 * Which assets of a STAC document are Zarr data, and in which container: by media type, by role, by
 * the fields of extensions, and only then by name.
 */
import { type Json, listOf, objectOf, textOf } from "./addresses.ts";

/**
 * What is at an address: a hierarchy (`"zarr"`), an archive of one (`"zip"`), kerchunk's references
 * (`"references"`), or an Icechunk repository (`"icechunk"`).
 */
export type AssetFormat = "zarr" | "zip" | "references" | "icechunk";

/** The most roles of an asset. Its alternatives have the same, and each is compared with all. */
const MAX_ROLES = 64;
/** The most characters of a media type that are looked at. */
const MAX_TYPE_CHARACTERS = 256;

/** What is read of an asset, but its address. */
const MEMBERS = [
  "title",
  "icechunk:snapshot_id",
  "storage:refs",
  "xarray:open_datatree_kwargs",
  "xarray:open_dataset_kwargs",
  "xarray:open_kwargs",
  "xarray:storage_options",
  "zarr:consolidated",
  "zarr:node_type",
  "zarr:zarr_format",
];

/** What is read of an asset. Lists are read once, for the asset and all its alternatives. */
export interface Described extends Json {
  type?: string;
  roles?: string[];
  hosts?: string[];
  /** Whether it has a member of the extension of Icechunk, and of Zarr. */
  isIcechunk?: boolean;
  isZarr?: boolean;
}

/** The members of an asset that are read. An alternative has those of its asset, unless its own. */
export function describedOf(asset: Json, own: Described = {}): Described {
  const described: Described = { ...own };
  for (const name of MEMBERS) if (Object.hasOwn(asset, name)) described[name] = asset[name];
  if (asset.type !== undefined) described.type = textOf(asset.type).slice(0, MAX_TYPE_CHARACTERS);
  const roles = asset.roles ?? asset.role;
  if (roles !== undefined)
    described.roles = [roles]
      .flat()
      .slice(0, MAX_ROLES)
      .filter((role) => typeof role === "string");
  if (asset["icechunk:virtual_chunk_containers"] !== undefined) described.hosts = hostsOf(asset);
  if (hasField(asset, "icechunk:")) described.isIcechunk = true;
  if (hasField(asset, "zarr:")) described.isZarr = true;
  return described;
}

/** The containers that a name tells. */
const NAMES: [RegExp, AssetFormat][] = [
  [/\.icechunk(\/|$)/i, "icechunk"],
  [/\.parq(uet)?(\/|$)|\.json$/i, "references"],
  [/\.(zip|ozx)$/i, "zip"],
  [/\.zarr(\/|$)/i, "zarr"],
];

const DOCUMENT = /\/(zarr\.json|\.zarray|\.zgroup|\.zattrs|\.zmetadata)$/;

const named = (address: string): AssetFormat | undefined =>
  NAMES.find(([name]) => name.test(address.replace(DOCUMENT, "")))?.[1];

/** Media types of containers, the most exact first. */
const ICECHUNK = /icechunk/;
const REFERENCES = /kerchunk/;
const ZARR = /^application\/(x-|vnd[.+])?zarr\b|profile=virtualizarr/;
/** Media types of files that may hold references, or an archive. */
const FILES = /^application\/(json|x-parquet|parquet|vnd\.apache\.parquet|x-ndjson)\b/;
const ARCHIVES = /^application\/(x-)?(zip|ozx)/;
/** Types that tell nothing. */
const UNTOLD = /^$|^application\/(octet-stream|x-directory|vnd\.directory)\b|directory/;

const REFERRING = /^(references?|index|kerchunk)$/;
const SIDE = /^(thumbnail|overview|metadata|documentation)$/;

const hasField = (asset: Json, prefix: string) => Object.keys(asset).some((name) => name.startsWith(prefix));

/**
 * The container of an asset; undefined if it is not Zarr data. `address` is its address without the
 * query.
 */
export function formatOf(asset: Described, address: string): AssetFormat | undefined {
  const type = textOf(asset.type).toLowerCase().trim();
  const roles = asset.roles ?? [];
  if (ICECHUNK.test(type) || asset.isIcechunk) return "icechunk";
  if (REFERENCES.test(type)) return "references";
  if (ZARR.test(type)) return named(address) ?? "zarr";
  const refers = roles.some((role) => REFERRING.test(role));
  if (FILES.test(type)) return refers ? "references" : undefined;
  if (ARCHIVES.test(type)) return /\.(zarr\.zip|ozx)$/i.test(address) ? "zip" : undefined;
  if (!UNTOLD.test(type)) return undefined;
  return formatByName(asset, address, roles, refers);
}

/** The container of an asset whose media type tells nothing. */
function formatByName(
  asset: Described,
  address: string,
  roles: string[],
  refers: boolean,
): AssetFormat | undefined {
  const name = named(address);
  if (roles.includes("zarr") || asset.isZarr) return name ?? "zarr";
  if (name === "references") return refers ? name : undefined;
  if (name === "zip") return /\.(zarr\.zip|ozx)$/i.test(address) ? name : undefined;
  const isSide = roles.some((role) => SIDE.test(role)) && !roles.includes("data");
  return isSide ? undefined : name;
}

/** The options of xarray that say whether there are consolidated metadata. */
const KWARGS = ["xarray:open_kwargs", "xarray:open_dataset_kwargs", "xarray:open_datatree_kwargs"];

/** Whether the document says that the root of the store has consolidated metadata. */
export function consolidationOf(asset: Json): boolean | undefined {
  const kwargs = KWARGS.map((name) => objectOf(asset[name]));
  const claims = [asset["zarr:consolidated"], ...kwargs.flatMap(consolidatedOf)];
  return claims.find((value) => typeof value === "boolean") as boolean | undefined;
}

const consolidatedOf = (kwargs: Json) => [kwargs.consolidated, objectOf(kwargs.backend_kwargs).consolidated];

/** The format that the extension or the media type says. */
export function zarrFormatOf(asset: Json): 2 | 3 | undefined {
  const version = asset["zarr:zarr_format"] ?? /;\s*version="?(\d)/.exec(textOf(asset.type))?.[1];
  return [2, 3].find((format) => String(version) === String(format)) as 2 | 3 | undefined;
}

export function nodeKindOf(asset: Json): "array" | "group" | undefined {
  const kind = asset["zarr:node_type"];
  return kind === "array" || kind === "group" ? kind : undefined;
}

/** The servers of virtual chunks that the document names, as entries of `allowHosts`. */
const hostsOf = (asset: Json): string[] =>
  listOf(asset["icechunk:virtual_chunk_containers"])
    .map((container) => textOf(objectOf(container).url_prefix))
    .filter((prefix) => /^(https?|s3|gs|gcs):\/\//i.test(prefix));
