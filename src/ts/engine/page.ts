/**
 * The engine's link to the page: asks for what only the page has, and tells it of warnings. The
 * server sets it at the start.
 */
import { withSize } from "../files/file.ts";
import { THROWN } from "../model/errors.ts";
import type { Ask, ToEngine, ToPage } from "../port/protocol.ts";

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface AskOptions {
  /** The signal that goes with the question: a call's own, or the engine's. */
  signal?: AbortSignal | undefined;
}

/** The target number of the page itself. */
export const PAGE = 0;

export class PageLink {
  /** The page is on this thread: values are passed as they are. */
  readonly isLocal: boolean;
  readonly #post: (message: ToPage) => void;
  /** Calls a callback of the page's at once, where the page is on this thread. */
  readonly callNow: (target: number, args: unknown[]) => unknown;
  readonly #waiting = new Map<number, Waiting>();
  /** Which call a signal is of. */
  readonly #calls = new WeakMap<AbortSignal, number>();
  #next = 1;

  /** `callNow` is there where the page is on this thread. */
  constructor(post: (message: ToPage) => void, callNow?: PageLink["callNow"]) {
    this.#post = post;
    this.isLocal = callNow !== undefined;
    this.callNow = callNow ?? notLocal;
  }

  /** A call's signal: the page passes the caller's own one where the engine names it. */
  know(signal: AbortSignal, call: number): void {
    this.#calls.set(signal, call);
  }

  /** Asks the page to call a method of an object of its own. */
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

  /** Takes an answer to what was asked. */
  answered(message: Extract<ToEngine, { type: "reply" | "threw" }>): void {
    const waiting = this.#waiting.get(message.ask);
    this.#waiting.delete(message.ask);
    if (message.type === "reply") waiting?.resolve(withSizeOf(message));
    else waiting?.reject(this.isLocal ? message.original : thrownOnPage(message));
  }

  warn(message: string, path: string, store?: number): void {
    this.#post({ type: "warning", message, path, store });
  }

  /** Tells of what is odd about an array's chunks. */
  warnOfArray(message: string, array: number): void {
    this.#post({ type: "odd", message, array });
  }

  /** Nothing is answered any more. */
  close(reason: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }
}

/** Bytes of a file with the size of all of it: symbols do not cross. */
const withSizeOf = ({ value, size }: Extract<ToEngine, { type: "reply" }>): unknown =>
  size === undefined ? value : withSize(value as Uint8Array, size);

/**
 * What the page threw, as far as the engine cares: that of `fetch`'s network errors is a
 * `TypeError`.
 */
function thrownOnPage({ thrown, name, message }: Extract<ToEngine, { type: "threw" }>): Error {
  const error = name === "TypeError" ? new TypeError(message) : new Error(message);
  if (name !== "TypeError") error.name = name;
  return Object.assign(error, { [THROWN]: thrown });
}

function notLocal(): never {
  throw new Error("the page is not on this thread");
}

let link: PageLink | undefined;

export function setPage(page: PageLink): void {
  link = page;
}

export function page(): PageLink {
  if (!link) throw new Error("the engine was not started");
  return link;
}
