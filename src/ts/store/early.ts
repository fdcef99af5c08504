/**
 * Requests the metadata documents of a node while the engine starts, so that the engine finds the
 * responses ready. Unused requests are cancelled. Only for stores whose requests depend on nothing
 * in the engine.
 */
import type { Callback } from "../port/object_numbers.ts";
import { Transferring } from "../port/perform.ts";
import type { FetchStoreOptions } from "./http_options.ts";
import { answerParts } from "./page_fetch.ts";

/** The key of the store method that sends early requests. */
export const EARLY: unique symbol = Symbol("zarr-wasm.early");

/** The possible metadata documents of a node. The engine decides which of them it reads. */
const DOCUMENTS = { 2: [".zarray", ".zgroup", ".zattrs"], 3: ["zarr.json"] };

/** Paths that need no escaping in a URL. */
const PLAIN = /^[\w.~/-]*$/;

/** A node to request, as `open` receives it. */
export interface EarlyNode {
  path: string;
  format: 0 | 2 | 3;
  /** Whether to request v2's attributes too. */
  attrs: boolean;
}

/** Requests in flight. */
export interface EarlyStart {
  urls: string[];
  /** Returns a response to the engine. */
  callback: Callback;
  /** Cancels the requests that the engine did not use. */
  giveUp(): void;
}

interface Sent {
  controller: AbortController;
  response: Promise<Response>;
}

export class EarlyDocuments {
  readonly #init: RequestInit;
  readonly #fetch: (request: Request) => Promise<Response>;

  private constructor(init: RequestInit, fetch: (request: Request) => Promise<Response>) {
    this.#init = init;
    this.#fetch = fetch;
  }

  /**
   * For a store whose requests depend on its options only. Undefined if a cache or a function is
   * involved.
   */
  static of(options: FetchStoreOptions): EarlyDocuments | undefined {
    const { headers, persistentCache, overrides, credentials, fetch } = options;
    if (headers !== undefined || persistentCache) return undefined;
    const init = { ...overrides, ...(credentials !== undefined && { credentials }) };
    return new EarlyDocuments(init, fetch ?? ((request) => globalThis.fetch(request)));
  }

  /** Requests the documents of a node. Returns undefined if its URLs are not certain. */
  begin(root: string, { path, format, attrs }: EarlyNode): EarlyStart | undefined {
    const [, place = "", query = ""] = /^(https?:\/\/[^?#]*?)\/*(\?[^#]*)?(?:#.*)?$/i.exec(root) ?? [];
    if (place === "" || !PLAIN.test(path)) return undefined;
    const all = format === 0 ? [...DOCUMENTS[3], ...DOCUMENTS[2]] : DOCUMENTS[format];
    const names = attrs ? all : all.filter((name) => name !== ".zattrs");
    const below = path
      .split("/")
      .filter((name) => name !== "")
      .map((name) => `${name}/`)
      .join("");
    const sent = new Map<string, Sent>();
    for (const name of names) this.#ask(`${place}/${below}${name}${query}`, sent);
    return started(sent);
  }

  #ask(address: string, sent: Map<string, Sent>): void {
    const controller = new AbortController();
    const request = new Request(address, { ...this.#init, signal: controller.signal });
    const { url } = request;
    const response = this.#fetch(request);
    response.catch(() => {}); // the engine gets the error when it uses the response
    sent.set(url, { controller, response });
  }
}

function started(sent: Map<string, Sent>): EarlyStart {
  return {
    urls: [...sent.keys()],
    callback: async (url: string, left: AbortSignal) => {
      const taken = sent.get(url);
      if (!taken) throw new TypeError(`${url} was not requested early`);
      sent.delete(url);
      left.addEventListener("abort", () => taken.controller.abort(), { once: true });
      const parts = await answerParts(await taken.response);
      return new Transferring(parts, [parts.body]);
    },
    giveUp() {
      for (const { controller } of sent.values()) controller.abort();
      sent.clear();
    },
  };
}
