/**
 * Reads STAC documents: from an address, or as the caller gives them. A document of another kind is
 * an error that says what it is.
 */

import { resolvedUri } from "../../api/store/reach.ts";
import { isReadable, need, pageUrl, parsedUrl } from "../../engine/ts/model/argument.ts";
import { type BodyLimits, BodyTooLarge, bodyOf } from "../../engine/ts/model/body.ts";
import { InvalidMetadataError, NotFoundError, ZarrError } from "../../engine/ts/model/errors.ts";
import { fetchHere, requestFor } from "../../engine/ts/model/platform_fetch.ts";
import { newDecoder } from "../../engine/ts/model/utf8.ts";
import { type Json, objectOf } from "./addresses.ts";

/** Options of `assetsOf`. */
export interface AssetsOptions {
  /**
   * The address of a document that is given as an object. It resolves relative addresses. Default:
   * the address that the document tells of itself.
   */
  base?: string | URL | undefined;
  /**
   * Replaces the global `fetch` for the document, for example to sign the request. Default: the
   * platform's `fetch`.
   */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Aborts the call, which rejects at once with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** The longest document, in bytes. */
const DOCUMENT_BYTES = 2 ** 26;
const LIMITS: BodyLimits = [DOCUMENT_BYTES, DOCUMENT_BYTES];

const invalid = (
  message: string,
  details: { field?: string; expected: string; actual: string },
  cause?: unknown,
) => new InvalidMetadataError(message, { ...details, ...(cause !== undefined && { cause }) });

/** The address of a document without what may be secret in it. */
export const shownUrl = (url: string) => url.replace(/[?#].*$/s, "").replace(/\/\/[^/]*@/, "//");

/** A document, and the address that it came from. */
export interface Read {
  document: unknown;
  url: string | undefined;
}

async function answerOf(url: string, { fetch = fetchHere, signal }: AssetsOptions): Promise<Response> {
  try {
    const request = requestFor(url, {
      headers: { Accept: "application/geo+json, application/json" },
      signal,
    });
    return await fetch(request);
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ZarrError("Store", `the STAC document at ${shownUrl(url)} could not be requested`, { cause });
  }
}

/** Throws unless an answer is a document, from where the address may lead. */
function checkAnswer({ status, url: end }: Response, url: string): void {
  const source = `the STAC document at ${shownUrl(url)}`;
  if (status === 404 || status === 410) throw new NotFoundError(source, { actual: `status ${status}` });
  if (status !== 200)
    throw new ZarrError("Store", `${source} was refused`, {
      expected: "status 200",
      actual: `status ${status}`,
    });
  if (/^https:/i.test(url) && /^http:/i.test(end))
    throw new ZarrError("Store", `${source} was redirected from https to http`);
}

export async function readDocument(address: string | URL, options: AssetsOptions): Promise<Read> {
  const url = parsedUrl(resolvedUri(String(address)), "document").href;
  const response = await answerOf(url, options);
  checkAnswer(response, url);
  let body: ArrayBuffer;
  try {
    body = await bodyOf(response, LIMITS);
  } catch (cause) {
    options.signal?.throwIfAborted();
    const isLong = cause instanceof BodyTooLarge;
    const message = `the STAC document at ${shownUrl(url)} ${isLong ? "is too long" : "could not be read"}`;
    throw new ZarrError(isLong ? "Limit" : "Store", message, {
      expected: `at most ${DOCUMENT_BYTES} bytes`,
      cause,
    });
  }
  return { document: parsed(newDecoder().decode(body), shownUrl(url)), url: response.url || url };
}

function parsed(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const expected = "the JSON of a STAC document";
    throw invalid(`the document at ${source} is not JSON`, { expected, actual: text.slice(0, 60) }, cause);
  }
}

/** What a document says that it is. */
function saidOf(document: unknown): string {
  const { type, refs, zarr_format, node_type } = objectOf(document);
  if (refs !== undefined) return "references of kerchunk: use ReferenceStore";
  if (zarr_format !== undefined || node_type !== undefined) return "metadata of Zarr: use open";
  if (typeof type === "string") return `JSON of type ${type.slice(0, 60)}`;
  return Array.isArray(document)
    ? "a list"
    : `JSON of ${typeof document === "object" ? "another kind" : typeof document}`;
}

/** The items and collections in a document: itself, or those that it lists. */
export function documentsIn(document: unknown, source: string): Json[] {
  const { type, stac_version, features, collections } = objectOf(document);
  if (type === "FeatureCollection" && Array.isArray(features)) return features.map(objectOf);
  if (typeof stac_version === "string") return [objectOf(document)];
  if (Array.isArray(collections)) return collections.map(objectOf);
  throw invalid(`${source} is not a STAC document`, {
    field: "stac_version",
    expected: "an item, a collection, a catalogue, or a list of items or collections",
    actual: saidOf(document),
  });
}

/** A document that the caller gave, with the address that it is said to be from. */
export function givenDocument(document: object, { base }: AssetsOptions): Read {
  need(isReadable(document), "document", "readable");
  return { document, url: base === undefined ? pageUrl() : parsedUrl(base, "base").href };
}
