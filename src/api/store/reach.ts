/**
 * Where the requests of a store may lead whose addresses come from a document: the servers of the
 * option `allowHosts`, as the engine compares them (`host/http/redirects.ts`).
 */

import { needList, needText, pageUrl } from "../../engine/ts/model/argument.ts";
import { ZarrError } from "../../engine/ts/model/errors.ts";
import type { Reach } from "../../engine/ts/port/definitions.ts";

/**
 * The https URL of an object in a public bucket. Other URLs are returned as they are. Only a server
 * has a port: `s3://host:443/bucket/key` is at another provider.
 */
export function resolvedUri(url: string): string {
  const [, protocol, bucket, key = ""] = /^(s3|gs|gcs):\/\/([^/]+)(?:\/(.*))?$/is.exec(url) ?? [];
  if (protocol === undefined || bucket === undefined) return url;
  if (protocol.toLowerCase() !== "s3") return `https://storage.googleapis.com/${bucket}/${key}`;
  if (/:\d+$/.test(bucket)) return `https://${bucket}/${key}`;
  return bucket.includes(".")
    ? `https://s3.amazonaws.com/${bucket}/${key}`
    : `https://${bucket}.s3.amazonaws.com/${key}`;
}

/** The base URL of a document in memory: that of the page. */
export const baseUrl = () => {
  const page = pageUrl() ?? "";
  return /^https?:/.test(page) ? new URL("references", page).href : undefined;
};

/** Whether a document is on the page's own server. What it names is as trustworthy as the page. */
export function isOwn(url: string | undefined): boolean {
  const page = baseUrl();
  return url !== undefined && page !== undefined && originOf(page) === originOf(url);
}

/** A URL, with that of an object in a public bucket; undefined if it is not a URL. */
export function urlOf(url: string): URL | undefined {
  try {
    return new URL(resolvedUri(url));
  } catch {
    return undefined;
  }
}

/** The origin of a URL; undefined if it is not a URL. */
const originOf = (url: string): string | undefined => urlOf(url)?.origin;

const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;

/** The host and the port of a text as the platform's URL reads it. Every port is kept. */
function hostOf(text: string): string | undefined {
  const rest = text.replace(SCHEME, "");
  // Each scheme leaves out its own usual port.
  const [http, https] = [urlOf(`http://${rest}`), urlOf(`https://${rest}`)];
  const port = http?.port || https?.port;
  return port ? `${http?.hostname}:${port}` : http?.hostname;
}

/** An entry of `allowHosts`, as the engine compares it. */
function allowed(entry: string): string {
  needText(entry, "allowHosts");
  const text = resolvedUri(entry.trim());
  if (text === "*") return text;
  const [, domain] = /^\*(\.[^\s.\\/?#@][^\s\\/?#@]*)$/.exec(text) ?? [];
  const isPattern = text.startsWith("*");
  const host = isPattern === (domain !== undefined) ? hostOf(isPattern ? `x${domain}` : text) : undefined;
  if (host !== undefined && !host.includes("*")) return isPattern ? host.slice(1) : host;
  throw new ZarrError("Argument", "an entry of allowHosts is not a host", {
    field: "allowHosts",
    expected: "host, host:port, *.domain, a URL, or * for all",
    actual: entry,
  });
}

/** The servers that a document may name, and how they may be asked. `own` are the user's URLs. */
export function reachOf(url: string | undefined, own: readonly URL[], allowHosts: string[]): Reach {
  needList(allowHosts, "allowHosts");
  const hosts = allowHosts.map(allowed);
  const isSecure = url !== undefined && urlOf(url)?.protocol === "https:";
  return {
    hosts: [...hosts, ...own.map(({ host }) => host)],
    protocols: own.map(({ protocol }) => protocol),
    secureBut: isSecure ? own.map(({ origin }) => origin) : undefined,
  };
}
