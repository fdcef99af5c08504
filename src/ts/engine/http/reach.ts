/**
 * Decides where the requests of a store may lead. It asks the platform's `URL` which server a
 * request goes to, because `fetch` asks it too: two parsers that differ would check one server and
 * ask another. It judges each address where it is sent, and each redirect.
 */
import { ZarrError } from "../../model/errors.ts";
import type { Reach } from "../../port/definitions.ts";

/**
 * Throws unless a request to `address` is allowed. `from` is the address of the request that was
 * redirected to it, if it was.
 */
export type Judge = (address: string, from?: string) => void;

const USUAL_PORTS: Record<string, string> = { "http:": "80", "https:": "443" };

/** The names that `Reach` may have for a URL's server: with its port, and without a usual one. */
function namesOf({ protocol, hostname, port }: URL): string[] {
  const withPort = `${hostname}:${port || USUAL_PORTS[protocol]}`;
  return port === "" ? [hostname, withPort] : [withPort];
}

function isWithin(hosts: readonly string[], url: URL): boolean {
  const names = namesOf(url);
  const allows = (host: string) =>
    host === "*" || names.some((name) => (host.startsWith(".") ? name.endsWith(host) : name === host));
  return hosts.some(allows);
}

const isHttp = ({ protocol }: URL) => protocol === "https:" || protocol === "http:";

/** https must stay https: a network could read what follows, and a token that a `fetch` adds. */
const downgrades = (what: string, { host }: URL) =>
  `${what} leads from https to http, on the server ${host}: a document or a request that came by https leads to https alone`;

function judgeRedirect(url: URL, from: string): void {
  const before = new URL(from).protocol;
  if (!isHttp(url) && url.protocol !== before)
    throw new ZarrError("Store", `a redirect leads to ${url.protocol}, which is not HTTP`);
  if (url.protocol === "http:" && before === "https:")
    throw new ZarrError("Store", downgrades("a redirect", url));
}

function judgeReach({ hosts, protocols, secureBut }: Reach, url: URL, what: string): void {
  const { protocol, origin, host } = url;
  if (!isHttp(url) && !protocols.includes(protocol))
    throw new ZarrError("Unsupported", `references to ${protocol}// cannot be read`);
  if (protocol === "http:" && secureBut && !secureBut.includes(origin))
    throw new ZarrError("Unsupported", downgrades(what, url));
  if (isWithin(hosts, url)) return;
  const option = `\`allowHosts: [${JSON.stringify(host)}]\``;
  throw new ZarrError("Argument", `${what} leads to a server that is not allowed: pass the option ${option}`);
}

/** The judge of a store's requests. Without `reach` only redirects are judged. */
export function judgeOf(reach: Reach | undefined): Judge {
  return (address, from) => {
    if (!reach && from === undefined) return;
    const url = new URL(address, from);
    if (from !== undefined) judgeRedirect(url, from);
    if (reach) judgeReach(reach, url, from === undefined ? "a reference" : "a redirect");
  };
}
