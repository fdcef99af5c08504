/**
 * Follows redirects of stores that send headers of the user. `fetch` would take all headers but
 * `Authorization` along to another server. The user's headers stay at the servers that they are
 * meant for. Stores without such headers leave redirects to `fetch`.
 */
import { ZarrError } from "../../model/errors.ts";
import type { Send } from "./request_headers.ts";

/** The headers that the engine sets, and one that holds no secret. */
const HARMLESS = ["accept", "range"];
const MOST_REDIRECTS = 10;
const REDIRECTS = [301, 302, 303, 307, 308];

/** A redirect that `fetch` did not follow. Browsers show only that there was one, as status 0. */
const isRedirect = ({ status }: Response) => status === 0 || REDIRECTS.includes(status);

const only = (headers: Headers, names: string[]) =>
  new Headers([...headers].filter(([name]) => names.includes(name)));

const isHttp = ({ protocol }: URL) => protocol === "https:" || protocol === "http:";

const failed = (message: string) => new ZarrError("Store", message);

/** The request of the next hop. `headers` are those that the next server may see. */
function onwards({ method, signal, cache, credentials }: Request, target: URL, headers: Headers): Request {
  return new Request(target, { method, signal, cache, credentials, headers, redirect: "manual" });
}

/** Follows an answer that tells where it leads. Headers that were dropped once stay dropped. */
async function follow(send: Send, request: Request, first: Response): Promise<Response> {
  const { origin } = new URL(request.url);
  let [answer, headers, url] = [first, request.headers, request.url];
  for (let hops = 0; hops < MOST_REDIRECTS; hops += 1) {
    const location = isRedirect(answer) ? answer.headers.get("location") : null;
    if (location === null) return Object.defineProperty(answer, "redirected", { value: true });
    const target = new URL(location, url);
    if (!isHttp(target)) throw failed(`a redirect leads to ${target.protocol}, which is not HTTP`);
    if (target.origin !== origin) headers = only(headers, HARMLESS);
    url = target.href;
    await answer.body?.cancel();
    answer = await send(onwards(request, target, headers));
  }
  throw failed(`there are more than ${MOST_REDIRECTS} redirects`);
}

/**
 * Sends requests with the user's headers to the servers that they are meant for, and requests
 * without them to all others. `tell` hears once of headers that could not be sent on.
 */
export function sendWithinOrigin(
  send: Send,
  isMeantFor: (url: string) => boolean,
  tell: (message: string) => void,
): Send {
  let isTold = false;
  return async (request) => {
    if (!isMeantFor(request.url))
      return send(new Request(request, { headers: only(request.headers, HARMLESS), redirect: "follow" }));
    const answer = await send(request);
    if (!isRedirect(answer) || request.redirect !== "manual") return answer;
    if (request.method !== "GET" && request.method !== "HEAD")
      throw failed("the server redirects a write: use the address to which it leads");
    if (answer.headers.get("location") !== null) return follow(send, request, answer);
    // A browser does not tell the address, but keeps `Authorization` from other servers.
    const headers = only(request.headers, [...HARMLESS, "authorization"]);
    if (!isTold && [...headers].length < [...request.headers].length) {
      isTold = true;
      tell("the server redirects requests; headers other than Authorization are not sent along");
    }
    return send(new Request(request, { headers, redirect: "follow" }));
  };
}
