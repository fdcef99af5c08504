/**
 * Addresses of STAC documents. They name data sets, of which the user chooses one; the page then
 * opens that one by its own address.
 */

import * as zarr from "zarr-wasm";
import { PageError } from "../text/errors.js";
import { isLocal, parseAddress } from "./source.js";

/** Asks the user which data set to open. Rejects if the answer is none. */
export type AskAsset = (
  document: string,
  assets: readonly zarr.Asset[],
  signal: AbortSignal,
) => Promise<zarr.Asset>;

/** The user has chosen no data set of a document. */
export class NothingChosenError extends PageError {
  readonly title = "No data set was chosen";
  readonly cure = "Open the document again, and choose one.";
}

class NothingThereError extends PageError {
  readonly title = "No Zarr data here";
  readonly cure = "Open an item or a collection whose assets are Zarr, kerchunk references or Icechunk.";
}

/** Addresses of documents: by the ending, or as APIs of STAC have them. */
const DOCUMENT = /(\.(geo)?json|\/(collections|items)(\/[^/]+)?\/?)$/i;
const STORE = /\.(zarr|zip|ozx|icechunk|parq|parquet)\/?$/i;

interface StacOptions {
  /** The URL of the page. */
  base: string;
  ask: AskAsset;
  signal: AbortSignal;
}

/** The data sets that the document at an address names; null if it is not one of STAC. */
async function assetsAt(url: URL, signal: AbortSignal): Promise<zarr.Asset[] | null> {
  try {
    return await zarr.assetsOf(url, { signal });
  } catch (error) {
    signal.throwIfAborted();
    const { field = "" } = error as zarr.ZarrError;
    // It is a STAC document, but an asset in it is invalid.
    if (field.startsWith("assets.") || field.startsWith("links[")) throw error;
    return null;
  }
}

const nameOf = (url: URL) => url.pathname.split("/").filter(Boolean).at(-1) ?? url.host;

/** The data set that the user chooses of a STAC document; null for any other address. */
async function assetOf(key: string, { base, ask, signal }: StacOptions): Promise<zarr.Asset | null> {
  if (isLocal(key)) return null;
  const url = parseAddress(key, base);
  if (!DOCUMENT.test(url.pathname) || STORE.test(url.pathname)) return null;
  const assets = await assetsAt(url, signal);
  if (!assets) return null;
  const [first] = assets;
  if (!first) throw new NothingThereError(`“${nameOf(url)}” is a STAC document that names no Zarr data.`);
  return assets.length === 1 ? first : ask(nameOf(url), assets, signal);
}

/** The address of a data set, for `sourceOf`. Its fragment names the snapshot of a repository. */
const addressOf = ({ url, snapshot }: zarr.Asset): string =>
  snapshot === undefined ? url : `${url}#snapshot=${encodeURIComponent(snapshot)}`;

interface AtSource {
  source?: string;
  path?: string;
}

/**
 * A state with the data set that the user chooses instead of a STAC document; the same state for
 * any other address. A path of the state stays, because the user has chosen it.
 */
export async function withAsset<S extends AtSource>(state: S, options: StacOptions): Promise<S> {
  const asset = state.source === undefined ? null : await assetOf(state.source, options);
  options.signal.throwIfAborted();
  return asset
    ? { ...state, source: addressOf(asset), path: state.path ?? (asset.path || undefined) }
    : state;
}
