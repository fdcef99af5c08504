/**
 * An engine's link to its page. It asks for what only the page has, among it the user's codecs that
 * are functions, and sends warnings.
 */
import { codecFailed } from "../codec/fault.ts";
import type { CodecRequest } from "../codec/site.ts";
import { withState } from "../files/folders.ts";
import { THROWN } from "../model/errors.ts";
import type { CodecsDefinition } from "../port/definitions.ts";
import type { Ask, CodecResult, ToEngine, ToPage } from "../port/protocol.ts";
import { ReportedError } from "./wasm_module.ts";

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface AskOptions {
  /** The signal to pass with the request: that of a call, or one of the engine's own. */
  signal?: AbortSignal;
}

export class PageLink {
  /** The page is on this thread, so values pass by reference. */
  readonly isLocal: boolean;
  readonly #post: (message: ToPage) => void;
  /** Calls a callback of the page synchronously. Works only if the page is on this thread. */
  readonly callNow: (target: number, args: unknown[]) => unknown;
  readonly #waiting = new Map<number, Waiting>();
  /** The call id of each call's signal. */
  readonly #calls = new WeakMap<AbortSignal, number>();
  #next = 1;

  /** `callNow` is given exactly if the page is on this thread. */
  constructor(post: (message: ToPage) => void, callNow?: PageLink["callNow"]) {
    this.#post = post;
    this.isLocal = callNow !== undefined;
    this.callNow = callNow ?? notLocal;
  }

  /**
   * Registers a call's signal. Where the engine uses it, the page passes the caller's own signal.
   */
  know(signal: AbortSignal, call: number): void {
    this.#calls.set(signal, call);
  }

  /** Asks the page to call a method of one of its objects. */
  ask(target: number, method: string, args: unknown[], { signal }: AskOptions = {}): Promise<unknown> {
    const ask = this.#next++;
    const call = signal && this.#calls.get(signal);
    return new Promise((resolve, reject) => {
      const message: Ask = { type: "ask", ask, target, method, args, call };
      const leave = () => this.#post({ type: "leave", ask });
      const isOwn = signal !== undefined && call === undefined;
      if (isOwn) signal.addEventListener("abort", leave, { once: true });
      const settling =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          if (isOwn) signal.removeEventListener("abort", leave);
          settle(value);
        };
      this.#waiting.set(ask, { resolve: settling(resolve), reject: settling(reject) });
      this.#post(message);
    });
  }

  /** Receives the page's answer to a request. */
  answered(message: Extract<ToEngine, { type: "reply" | "threw" }>): void {
    const waiting = this.#waiting.get(message.ask);
    this.#waiting.delete(message.ask);
    if (message.type === "reply") waiting?.resolve(withStateOf(message));
    else waiting?.reject(this.isLocal ? message.original : thrownOnPage(message));
  }

  /**
   * Sends a warning, which the page counts and passes to `onWarning`. `path` is the node or address
   * that it concerns; `store` is the store that keeps it.
   */
  warn(message: string, path: string, store?: number): void {
    this.#post({ type: "warning", message, path, store });
  }

  /** Sends a warning about an array's chunks. */
  warnOfArray(message: string, array: number): void {
    this.#post({ type: "chunkWarning", message, array });
  }

  /** Runs a codec that is a function on the page. Rejects with a `ReportedError`. */
  async runCodec({ runner }: CodecsDefinition, request: CodecRequest): Promise<Uint8Array<ArrayBuffer>> {
    let answer: CodecResult;
    try {
      answer = (await this.ask(runner, "run", [request])) as CodecResult;
    } catch (thrown) {
      throw new ReportedError(codecFailed(request, thrown));
    }
    if ("code" in answer) throw new ReportedError(answer);
    return answer;
  }

  /** Rejects all open requests. */
  close(reason: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }
}

/** Attaches the state of the whole file again, because symbol properties do not cross the port. */
const withStateOf = ({ value, size, version }: Extract<ToEngine, { type: "reply" }>): unknown =>
  size === undefined ? value : withState(value as Uint8Array, { size, version });

/**
 * Remakes an error that the page threw. A `TypeError` stays one, because `fetch` throws it for
 * network errors.
 */
function thrownOnPage({ thrown, name, message }: Extract<ToEngine, { type: "threw" }>): Error {
  const error = name === "TypeError" ? new TypeError(message) : new Error(message);
  if (name !== "TypeError") error.name = name;
  return Object.assign(error, { [THROWN]: thrown });
}

function notLocal(): never {
  throw new Error("the page is not on this thread, so its callback cannot be called synchronously");
}
