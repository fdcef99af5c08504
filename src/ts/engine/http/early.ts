/**
 * Requests that are sent before the engine can make them: what opening a node will ask for goes out while the wasm is compiled. The engine
 * then finds its requests under way. What it does not ask for is given up.
 */
import type { Send } from "./request_headers.ts";

/** Where a node's metadata may be; which of these is read, and what it means, is the engine's matter. */
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

interface Sent {
  controller: AbortController;
  response: Promise<Response>;
}

export class EarlyRequests {
  readonly #sent = new Map<string, Sent>();
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Asks for the documents of a node; what this returns gives up those that nobody has taken. */
  begin(root: string, { path, format, attrs }: EarlyNode, init: RequestInit | undefined): () => void {
    const [, place = "", query = ""] = /^(https?:\/\/[^?#]*?)\/*(\?[^#]*)?(?:#.*)?$/i.exec(root) ?? [];
    if (place === "" || !PLAIN.test(path)) return () => {};
    const all = format === 0 ? [...DOCUMENTS[3], ...DOCUMENTS[2]] : DOCUMENTS[format];
    const names = attrs ? all : all.filter((name) => name !== ".zattrs");
    const below = path
      .split("/")
      .filter((name) => name !== "")
      .map((name) => `${name}/`)
      .join("");
    const begun = names.map((name) => this.#ask(`${place}/${below}${name}${query}`, init));
    return () => {
      for (const url of begun) {
        this.#sent.get(url)?.controller.abort();
        this.#sent.delete(url);
      }
    };
  }

  #ask(address: string, init: RequestInit | undefined): string {
    const controller = new AbortController();
    const request = new Request(address, { ...init, signal: controller.signal });
    const { url } = request;
    const response = this.#send(request);
    response.catch(() => {}); // whoever takes it hears of it
    this.#sent.set(url, { controller, response });
    return url;
  }

  /** Sends a request of the engine's, unless it is under way already. */
  readonly send: Send = (request) => {
    const early = this.#sent.get(request.url);
    if (!early || request.method !== "GET" || request.headers.has("range")) return this.#send(request);
    this.#sent.delete(request.url);
    request.signal.addEventListener("abort", () => early.controller.abort(), { once: true });
    return early.response;
  };
}
