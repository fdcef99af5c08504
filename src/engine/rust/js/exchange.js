/**
 * The JavaScript part of one HTTP exchange: creates a request, sends it, and reads its answer. Only
 * one call and one promise cross to Rust (`fetch.rs`). `src/engine/rust/store/http` decides what
 * answers mean.
 */

/** The outcomes of an exchange. `FetchTransport::answer` of `fetch.rs` has the same numbers. */
const [ANSWERED, REFUSED, BROKEN_OFF, TOO_LARGE, NO_RESPONSE] = [0, 1, 2, 3, 4];

const METHODS = ["GET", "HEAD", "PUT", "DELETE"];
const HEAD = 1;
const PROBE = 4;
const CACHES = [undefined, "no-store", "reload", "no-cache"];

/** Marks a request that must bypass caches, for a user's `fetch` that has one. */
const RELOAD = Symbol.for("zarr-wasm.reload");

/**
 * Holds the maximum lengths of the bodies of a request's answers: of a whole value, and of a part.
 * Who sends the request reads no more. `src/engine/ts/model/body.ts` has the same symbol.
 */
const LIMITS = Symbol.for("zarr-wasm.limits");

/** The options of `fetch`. */
function initOf({ overrides, how: [method, cache, background], range, body }, signal) {
  const init = { ...overrides, method: METHODS[method], headers: new Headers(overrides?.headers), signal };
  if (range) init.headers.set("Range", range);
  if (body) init.body = body;
  if (CACHES[cache]) init.cache = CACHES[cache];
  // Browsers without support for priorities ignore it.
  if (background) init.priority = "low";
  return init;
}

/**
 * Sends a request whose answer tells only that there is one. It goes where a request of the store
 * has just gone, without its credentials. Undefined where no answer is hidden: outside of browsers,
 * and on the page's own origin.
 */
function probe(url, signal) {
  const { origin } = globalThis;
  if (origin === undefined || new URL(url).origin === origin) return undefined;
  return fetch(url, { method: "HEAD", mode: "no-cors", credentials: "omit", signal });
}

/** Returns a function that sends the request, by the global `fetch` or by the user's own. */
function sending(wanted, signal) {
  if (wanted.how[0] === PROBE) return () => probe(wanted.url, signal);
  const init = initOf(wanted, signal);
  if (!wanted.send) {
    if (typeof fetch !== "function") throw new TypeError("there is no `fetch` here");
    return () => fetch(wanted.url, init);
  }
  // jsdom has no requests. `src/engine/ts/model/platform_fetch.ts` makes such objects, too.
  const request =
    typeof Request === "function" ? new Request(wanted.url, init) : { url: wanted.url, ...init };
  if (wanted.how[3]) request[RELOAD] = true;
  request[LIMITS] = [wanted.how[4], wanted.how[5]];
  return () => wanted.send(request);
}

/** The values of headers, one a line. The line of a missing header is empty. */
function valuesOf(headers, names) {
  let lines = "";
  for (const name of names) lines += `${headers.get(name) ?? ""}\n`;
  return lines;
}

class Exchange {
  #controller = new AbortController();
  /** Resolves to the outcome and its data. Rejects if the request is invalid. */
  answer;

  constructor(wanted) {
    this.answer = this.#run(wanted);
  }

  abort() {
    this.#controller.abort();
  }

  async #run(wanted) {
    // Continues without wasm frames on the stack. Chromium walks the stack at each fetch, which
    // would take a sixth of the time.
    await undefined;
    const send = sending(wanted, this.#controller.signal);
    let response;
    try {
      response = await send();
    } catch (thrown) {
      return this.#unread(thrown) ?? [REFUSED, thrown];
    }
    return this.#read(response, wanted);
  }

  /** The outcome for a body that was not read to its end. */
  #unread(thrown) {
    const { announced = 0, limit, received } = thrown?.[LIMITS] ?? {};
    if (received !== undefined) return [BROKEN_OFF, thrown.cause ?? thrown, received, announced];
    if (limit === undefined) return undefined;
    this.abort();
    return [TOO_LARGE, announced, limit];
  }

  async #read(response, { url: asked, how, names }) {
    // A user's `fetch` may return an object that only resembles a response.
    const { status, headers, url, redirected } = Object(response);
    if (typeof status !== "number" || typeof headers?.get !== "function") return [NO_RESPONSE];
    const head = [status, url === asked ? "" : url, redirected, valuesOf(headers, names)];
    if (how[0] === HEAD || how[0] === PROBE) return [ANSWERED, ...head];
    if (typeof response.arrayBuffer !== "function") return [NO_RESPONSE];
    try {
      const body = await response.arrayBuffer();
      // Not by `instanceof`: the body may be of another realm, as in tests that imitate a page.
      const isBytes = ArrayBuffer.isView(body) || body?.[Symbol.toStringTag] === "ArrayBuffer";
      return isBytes ? [ANSWERED, ...head, new Uint8Array(body)] : [NO_RESPONSE];
    } catch (thrown) {
      return this.#unread(thrown) ?? [BROKEN_OFF, thrown];
    }
  }
}

/** Starts an exchange. */
export function exchange(send, overrides, how, url, range, body, names) {
  return new Exchange({ send, overrides, how, url, range, body, names });
}
