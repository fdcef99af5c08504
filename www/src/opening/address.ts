/**
 * Converts the text of the address field to a URL. Buckets (`s3://`, `gs://`) become the HTTPS URL
 * of the same object. It does not check whether there are data.
 */

/** An address that the page cannot open, with a message for the user. */
export class AddressError extends Error {
  override name = "AddressError";
}

/** A text that is no URL, without what may be secret in it: a password and a query. */
const shown = (address: string) => address.replace(/[?#].*$/s, "").replace(/^.*@/s, "");

/** The kind of data at an address: a folder of keys, an archive, or a reference document. */
export type AddressKind = "folder" | "zip" | "references";

/**
 * Names of metadata documents. They are removed from an address, because users paste the URL of a
 * document and mean its node.
 */
const DOCUMENT = /\/(zarr\.json|\.zarray|\.zgroup|\.zattrs|\.zmetadata)$/;

/** The URL of an address. Relative ones are resolved against `base`. */
export function parseAddress(text: string, base: string): URL {
  const address = text.trim().replace(/^<|>$|^"|"$/g, "");
  if (address === "") throw new AddressError("The address is empty.");
  const url = bucketUrl(address) ?? webUrl(address, base);
  url.pathname = url.pathname.replace(DOCUMENT, "");
  url.hash = "";
  return url;
}

/**
 * The kind by the ending of the name. Names of metadata documents have been removed, so other JSON
 * is a reference document.
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
  // The certificate of *.s3.amazonaws.com does not match names with a dot, so such buckets are in
  // the path.
  const host = bucket.includes(".") ? `s3.amazonaws.com/${bucket}` : `${bucket}.s3.amazonaws.com`;
  return new URL(`https://${host}${key}${query}`);
}

/**
 * Without a scheme, only a text that looks like a host is one, so that other words are not sent to
 * the network.
 */
const HOST = /^(localhost|[\w-]+(\.[\w-]+)+|\[[\da-f:]+\])(:\d+)?([/?#]|$)/i;

function webUrl(address: string, base: string): URL {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1]?.toLowerCase();
  const isRelative = /^\.{0,2}\//.test(address);
  if (!scheme && !isRelative && !HOST.test(address)) {
    throw new AddressError(`“${shown(address)}” is not an address.`);
  }
  const text = scheme || isRelative ? address : `https://${address}`;
  if (!URL.canParse(text, base)) throw new AddressError(`“${shown(address)}” is not an address.`);
  const url = new URL(text, base);
  if (url.protocol === "http:" || url.protocol === "https:") return url;
  throw new AddressError(
    `“${scheme ?? url.protocol}://” is nothing this page can read: it opens http, https, s3 and gs addresses.`,
  );
}
