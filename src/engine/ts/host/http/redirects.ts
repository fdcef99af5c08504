/**
 * Where the requests of a store may lead, and how redirects are followed. Each address is judged
 * where it is sent, and so is each redirect. The platform's `URL` tells which server a request goes
 * to, because `fetch` asks it too: two parsers that differ would check one server and ask another.
 *
 * Where the platform shows redirects, the user's headers stay at the servers that they are meant
 * for. `fetch` would take all headers but `Authorization` along to another server. Browsers do not
 * tell where a redirect leads, so there the address of the answer is judged.
 */

import { limitsOf, withLimits } from "../../model/body.ts";
import { ZarrError } from "../../model/errors.ts";
import { isNode } from "../../model/node.ts";
import { requestFor } from "../../model/platform_fetch.ts";
import type { Reach } from "../../port/definitions.ts";

/** Sends a request. */
export type Send = (request: Request) => Promise<Response>;

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

/** The headers that the engine sets, and one that holds no secret. */
const HARMLESS = ["accept", "range"];
/** As in `fetch`. */
const MAX_REDIRECTS = 20;
const REDIRECTS = [301, 302, 303, 307, 308];

/** A redirect that `fetch` did not follow. Browsers show only that there was one, as status 0. */
const isRedirect = ({ status }: Response) => status === 0 || REDIRECTS.includes(status);

const isRead = ({ method }: Request) => method === "GET" || method === "HEAD";

const only = (headers: Headers, names: string[]) =>
  new Headers([...headers].filter(([name]) => names.includes(name)));

const failed = (message: string) => new ZarrError("Store", message);

/** What a store's requests carry, and who judges where they lead. */
export interface Travel {
  judge: Judge;
  /** Whether the user's headers may be sent to a URL. */
  isMeantFor(url: string): boolean;
  carriesHeaders: boolean;
  /** Requests are sent by a `fetch` of the user, which may add secrets to what it is given. */
  isOwnFetch: boolean;
  /** Issues a warning. */
  tell(message: string): void;
}

/** The same request with other options, and with its limits. */
const changed = (request: Request, init: RequestInit): Request =>
  withLimits(requestFor(request, init), limitsOf(request));

/** A request to another address. `headers` are those that its server may see. */
function onwards(request: Request, url: string, headers: Headers, redirect: RequestRedirect): Request {
  const { method, signal, cache, credentials } = request;
  return withLimits(
    requestFor(url, { method, signal, cache, credentials, headers, redirect }),
    limitsOf(request),
  );
}

/** The absolute address of a redirect. No request can be made for one with a user name. */
function targetOf(location: string, url: string): URL {
  try {
    const target = new URL(location, url);
    if (`${target.username}${target.password}` === "") return target;
  } catch {}
  throw failed("a redirect leads to an address that cannot be requested");
}

export class RedirectFollower {
  readonly #sendOnce: Send;
  readonly #travel: Travel;
  #isReported = false;

  constructor(send: Send, travel: Travel) {
    this.#sendOnce = send;
    this.#travel = travel;
  }

  /** Sends a request, and follows where its answer leads. */
  readonly send: Send = async (asked) => {
    const { carriesHeaders, isMeantFor } = this.#travel;
    const isForeign = carriesHeaders && !isMeantFor(asked.url);
    const request = isForeign
      ? changed(asked, { headers: only(asked.headers, HARMLESS), redirect: isNode() ? "manual" : "follow" })
      : asked;
    if (request.redirect !== "manual") return this.#judged(await this.#sendOnce(request), request);
    return this.#sendManually(request);
  };

  async #sendManually(request: Request): Promise<Response> {
    const answer = await this.#sendOnce(request);
    const location = redirectOf(answer);
    if (location === undefined) return this.#judged(answer, request);
    if (!isRead(request)) throw failed("the server redirects a write: use the address to which it leads");
    return location === null ? this.#blindly(request) : this.#follow(request, answer);
  }

  /**
   * Follows an answer that tells where it leads. Headers that were dropped once stay dropped. A
   * `fetch` of the user is not asked to send to another server, because it would sign the request:
   * it follows by the rules of `fetch`.
   */
  async #follow(request: Request, first: Response): Promise<Response> {
    const { judge, carriesHeaders, isOwnFetch } = this.#travel;
    const { origin } = new URL(request.url);
    let [answer, headers, url] = [first, request.headers, request.url];
    for (let hops = 0; hops < MAX_REDIRECTS; hops += 1) {
      const location = redirectOf(answer);
      if (typeof location !== "string")
        return this.#judged(Object.defineProperty(answer, "redirected", { value: true }), request);
      await answer.body?.cancel();
      const target = targetOf(location, url);
      judge(target.href, request.url);
      const leaves = target.origin !== origin;
      if (leaves && isOwnFetch && !carriesHeaders)
        return this.#blindly(onwards(request, url, headers, "follow"));
      if (leaves) headers = only(headers, HARMLESS);
      url = target.href;
      answer = await this.#sendOnce(onwards(request, url, headers, "manual"));
    }
    throw failed(`there are more than ${MAX_REDIRECTS} redirects`);
  }

  /** Lets `fetch` follow. It keeps `Authorization` from other servers, and no other header. */
  async #blindly(request: Request): Promise<Response> {
    const { carriesHeaders } = this.#travel;
    const { headers } = request;
    const kept = carriesHeaders ? only(headers, [...HARMLESS, "authorization"]) : headers;
    if ([...kept].length < [...headers].length) this.#tellOnce();
    const answer = await this.#sendOnce(changed(request, { headers: kept, redirect: "follow" }));
    return this.#judged(answer, request);
  }

  #tellOnce(): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#travel.tell("the server redirects requests; headers other than Authorization are not sent along");
  }

  /** An answer, unless it came from where the request may not lead. */
  #judged(answer: Response, request: Request): Response {
    // A user's `fetch` may return anything, and an answer that was made has no address.
    if (answer?.redirected !== true || !answer.url) return answer;
    try {
      this.#travel.judge(answer.url, request.url);
    } catch (error) {
      answer.body?.cancel?.().catch(() => {});
      throw error;
    }
    return answer;
  }
}

/**
 * Where an answer leads: undefined if it is no redirect, null if the platform does not tell. A
 * redirect without an address leads nowhere.
 */
function redirectOf(answer: Response): string | null | undefined {
  if (!answer || !isRedirect(answer)) return undefined;
  if (answer.status === 0) return null;
  return answer.headers.get("location") ?? undefined;
}
