/**
 * Documents of a node that the page asks for while the engine starts: the engine then finds its
 * requests answered. Documents that it does not ask for are given up. Only for stores whose
 * requests need nothing of the engine's.
 */
import type { Callback } from "../port/object_numbers.ts";
import { Transferring } from "../port/perform.ts";
import type { FetchStoreOptions } from "./http_options.ts";
import { answerParts } from "./page_fetch.ts";

/** The key of a store's method that begins early requests. */
export const EARLY: unique symbol = Symbol("zarr-wasm.early");

/**
 * Where a node's metadata may be; which of these is read, and what it means, is for the engine to
 * say.
 */
const DOCUMENTS = { 2: [".zarray", ".zgroup", ".zattrs"], 3: ["zarr.json"] };

/** Paths that are in a URL as they are. */
const PLAIN = /^[\w.~/-]*$/;

/** A node whose documents are asked for, as `open` is asked for it. */
export interface EarlyNode {
  path: string;
  format: 0 | 2 | 3;
  /** Whether v2's attributes are wanted too. */
  attrs: boolean;
}

/** Requests that are under way. */
export interface EarlyStart {
  urls: string[];
  /** Answers the engine. */
  callback: Callback;
  /** Gives up the requests that the engine did not take. */
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
   * Of a store whose requests are made of its options alone; undefined where a cache or a function
   * has a say.
   */
  static of(options: FetchStoreOptions): EarlyDocuments | undefined {
    const { headers, persistentCache, overrides, credentials, fetch } = options;
    if (headers !== undefined || persistentCache) return undefined;
    const init = { ...overrides, ...(credentials !== undefined && { credentials }) };
    return new EarlyDocuments(init, fetch ?? ((request) => globalThis.fetch(request)));
  }

  /** Asks for the documents of a node; undefined where its URLs cannot be told. */
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
    response.catch(() => {}); // the engine hears of it when it takes the answer
    sent.set(url, { controller, response });
  }
}

function started(sent: Map<string, Sent>): EarlyStart {
  return {
    urls: [...sent.keys()],
    callback: async (url: string, left: AbortSignal) => {
      const taken = sent.get(url);
      if (!taken) throw new TypeError(`${url} was not asked for`);
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
