/**
 * What a person typed into the address field, as the URL to read from.
 *
 * Buckets (`s3://`, `gs://`) become the public HTTPS address of the same object. Whether anything is there is not asked here.
 */

/** An address this page cannot open, said in words for the person who typed it. */
export class AddressError extends Error {
  override name = "AddressError";
}

/** Names of metadata documents: people paste the address of the file they looked at, and mean the node that it describes. */
const DOCUMENT = /\/(zarr\.json|\.zarray|\.zgroup|\.zattrs|\.zmetadata)$/;

/** The URL behind an address; relative ones start at `base`. */
export function parseAddress(text: string, base: string): URL {
  const address = text.trim();
  if (address === "") throw new AddressError("The address is empty.");
  const url = bucketUrl(address) ?? webUrl(address, base);
  url.pathname = url.pathname.replace(DOCUMENT, "");
  url.hash = "";
  return url;
}

function bucketUrl(address: string): URL | null {
  const match = /^(s3|gs|gcs):\/\/([^/?#]+)(\/[^?#]*)?(\?[^#]*)?$/.exec(address);
  if (!match) return null;
  const [, scheme, bucket = "", key = "/", query = ""] = match;
  if (scheme !== "s3") return new URL(`https://storage.googleapis.com/${bucket}${key}${query}`);
  // A dot in a bucket's name does not match the certificate of *.s3.amazonaws.com: those are addressed by path.
  const host = bucket.includes(".") ? `s3.amazonaws.com/${bucket}` : `${bucket}.s3.amazonaws.com`;
  return new URL(`https://${host}${key}${query}`);
}

function webUrl(address: string, base: string): URL {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1]?.toLowerCase();
  const relative = /^[./]/.test(address);
  const text = scheme || relative ? address : `https://${address}`;
  if (!URL.canParse(text, base))
    throw new AddressError(`"${address}" is not an address that a browser can read.`);
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new AddressError(
      `This page opens http, https, s3 and gs addresses; "${scheme ?? url.protocol}" is none of them.`,
    );
  }
  return url;
}
