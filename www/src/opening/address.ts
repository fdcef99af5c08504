/**
 * What a person typed into the address field, as the URL to read from. Buckets (`s3://`, `gs://`)
 * become the public HTTPS address of the same object. Whether anything is there is not asked here.
 */

/** An address this page cannot open, said in words for the person who typed it. */
export class AddressError extends Error {
  override name = "AddressError";
}

/** What stands behind an address: a folder of keys, one archive, or a document of references. */
export type AddressKind = "folder" | "zip" | "references";

/**
 * Names of metadata documents: people paste the address of the file they looked at, and mean the
 * node that it describes.
 */
const DOCUMENT = /\/(zarr\.json|\.zarray|\.zgroup|\.zattrs|\.zmetadata)$/;

/** The URL behind an address; relative ones start at `base`. */
export function parseAddress(text: string, base: string): URL {
  const address = text.trim().replace(/^<|>$|^"|"$/g, "");
  if (address === "") throw new AddressError("The address is empty.");
  const url = bucketUrl(address) ?? webUrl(address, base);
  url.pathname = url.pathname.replace(DOCUMENT, "");
  url.hash = "";
  return url;
}

/**
 * Goes by the name's ending. Metadata documents were taken off before, so that other JSON is a
 * document of references.
 */
export function addressKind({ pathname }: URL): AddressKind {
  if (/\.(zip|ozx)$/i.test(pathname)) return "zip";
  return /\.json$/i.test(pathname) ? "references" : "folder";
}

function bucketUrl(address: string): URL | null {
  const match = /^(s3|gs|gcs):\/\/([^/?#\s]+)(\/[^?#]*)?(\?[^#]*)?$/i.exec(address);
  if (!match) return null;
  const [, scheme = "", bucket = "", key = "/", query = ""] = match;
  if (scheme.toLowerCase() !== "s3") return new URL(`https://storage.googleapis.com/${bucket}${key}${query}`);
  // A dot in a bucket's name does not match the certificate of *.s3.amazonaws.com: those are
  // addressed by path.
  const host = bucket.includes(".") ? `s3.amazonaws.com/${bucket}` : `${bucket}.s3.amazonaws.com`;
  return new URL(`https://${host}${key}${query}`);
}

/**
 * Without a scheme, only what looks like a host is one: a word that was typed is not sent to the
 * network.
 */
const HOST = /^(localhost|[\w-]+(\.[\w-]+)+|\[[\da-f:]+\])(:\d+)?([/?#]|$)/i;

function webUrl(address: string, base: string): URL {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1]?.toLowerCase();
  const isRelative = /^\.{0,2}\//.test(address);
  if (!scheme && !isRelative && !HOST.test(address)) {
    throw new AddressError(`“${address}” is not an address.`);
  }
  const text = scheme || isRelative ? address : `https://${address}`;
  if (!URL.canParse(text, base)) throw new AddressError(`“${address}” is not an address.`);
  const url = new URL(text, base);
  if (url.protocol === "http:" || url.protocol === "https:") return url;
  throw new AddressError(
    `“${scheme ?? url.protocol}://” is nothing this page can read: it opens http, https, s3 and gs addresses.`,
  );
}
