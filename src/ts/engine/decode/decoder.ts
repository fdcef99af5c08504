/**
 * A decoder as the pool sees it: something that takes the messages of `protocol.ts` and answers
 * them. Four kinds: a worker from a blob, a worker from a URL, a worker thread of Node, and the
 * caller's own thread. Which one works is found out by trying, in that order; a content security
 * policy forbids some, and some engines lack some.
 */

import { breathe } from "../../elements/breathe.ts";
import { openNodeWorker } from "../../port/node_worker.ts";
import { configuration, recycleBytes } from "../configuration.ts";
import { DecodeServer } from "./decode_server.ts";
import type { FromDecoder, ToDecoder } from "./messages.ts";

export type Rung = "blob" | "url" | "node" | "caller";

export interface Decoder {
  readonly rung: Rung;
  post(message: ToDecoder, transfer: ArrayBuffer[]): void;
  /** While something is under way, a worker keeps Node's process alive; while not, it must not. */
  hold(busy: boolean): void;
  /** Ends it; nothing that was posted will be answered. */
  close(): void;
  onanswer: (answer: FromDecoder) => void;
  /** The decoder is gone: nothing that was posted will be answered. */
  oncrash: (reason: string) => void;
}

/** What a port's first message is, and what must come back before it counts as started. */
type First = Extract<ToDecoder, { type: "module" }>;

const ignore = () => {};

/** Settles a port's start with its first answer; later answers go to whoever holds the port. */
class Start {
  readonly decoder: Promise<Decoder>;
  #resolve: (decoder: Decoder) => void = ignore;
  #reject: (reason: Error) => void = ignore;
  #started: Decoder | undefined;

  constructor() {
    this.decoder = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  answer(decoder: Decoder, answer: FromDecoder): void {
    if (answer.type === "broken") this.crash(answer.reason);
    else if (this.#started) decoder.onanswer(answer);
    else {
      this.#started = decoder;
      this.#resolve(decoder);
    }
  }

  crash(reason: string): void {
    if (this.#started) this.#started.oncrash(reason);
    else this.#reject(new Error(reason));
  }
}

const SCRIPT = "text/javascript";

function webWorker(rung: Rung, worker: Worker, first: First): Promise<Decoder> {
  const start = new Start();
  const decoder: Decoder = {
    rung,
    post: (message, transfer) => worker.postMessage(message, transfer),
    hold: ignore,
    close: () => worker.terminate(),
    onanswer: ignore,
    oncrash: ignore,
  };
  worker.onmessage = ({ data }: MessageEvent<FromDecoder>) => start.answer(decoder, data);
  worker.onmessageerror = () => start.crash("a message to a worker could not be read");
  worker.onerror = (event) => {
    event.preventDefault?.();
    start.crash(event.message || "the worker could not be started");
    worker.terminate();
  };
  worker.postMessage(first);
  return start.decoder;
}

async function blobDecoder(first: First): Promise<Decoder> {
  const { workerScript } = configuration;
  if (workerScript === undefined) throw new Error("this entry has no worker inlined");
  if (typeof Worker === "undefined") throw new Error("there is no Worker here");
  const script = workerScript instanceof Blob ? workerScript : new Blob([workerScript], { type: SCRIPT });
  const url = URL.createObjectURL(script);
  try {
    return await webWorker("blob", new Worker(url), first);
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function urlDecoder(first: First): Promise<Decoder> {
  const { workerUrl } = configuration;
  if (workerUrl === undefined) throw new Error("no workerUrl was given to init");
  if (typeof Worker === "undefined") throw new Error("there is no Worker here");
  return webWorker("url", new Worker(workerUrl, { type: "module" }), first);
}

async function nodeDecoder(first: First): Promise<Decoder> {
  const { workerScript, workerUrl } = configuration;
  const worker = openNodeWorker(typeof workerScript === "string" ? workerScript : undefined, workerUrl);
  if (!worker) throw new Error("there are no worker threads here");
  const start = new Start();
  const decoder: Decoder = {
    rung: "node",
    post: (message, transfer) => worker.postMessage(message, transfer),
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
    close: () => worker.terminate(),
    onanswer: ignore,
    oncrash: ignore,
  };
  worker.on("message", (answer: FromDecoder) => start.answer(decoder, answer));
  worker.on("messageerror", () => start.crash("a message to a worker could not be read"));
  worker.on("error", (error: Error) => start.crash(String(error)));
  worker.on("exit", (code: number) => start.crash(`the worker ended with code ${code}`));
  worker.postMessage(first);
  const started = await start.decoder;
  worker.unref();
  return started;
}

/** Decodes on this thread; between parts other tasks have their turn. */
export async function localDecoder(first: First): Promise<Decoder> {
  const start = new Start();
  const decoder: Decoder = {
    rung: "caller",
    post: ignore,
    hold: ignore,
    close: ignore,
    onanswer: ignore,
    oncrash: ignore,
  };
  const server = new DecodeServer((answer) => start.answer(decoder, answer));
  let last: Promise<unknown> = Promise.resolve();
  decoder.post = (message) => {
    last = last.then(() => breathe()).then(() => server.handle(message));
  };
  server.handle(first);
  return start.decoder;
}

const LADDER: [Rung, (first: First) => Promise<Decoder>][] = [
  ["blob", blobDecoder],
  ["url", urlDecoder],
  ["node", nodeDecoder],
  ["caller", localDecoder],
];

/** The rung that worked, and why those before it did not. */
export const ladder: { rung: Rung | undefined; refused: string[] } = { rung: undefined, refused: [] };

/** Starts a decoder on the first rung that works; once one has, only that one is tried. */
export async function openDecoder(module: WebAssembly.Module): Promise<Decoder> {
  const first: First = { type: "module", home: "engine", module, recycleBytes: recycleBytes() };
  const known = LADDER.find(([rung]) => rung === ladder.rung);
  if (known) return known[1](first);
  for (const [rung, open] of LADDER) {
    try {
      const decoder = await open(first);
      ladder.rung ??= rung;
      return decoder;
    } catch (error) {
      if (rung !== "caller") ladder.refused.push(`${rung}: ${(error as Error).message}`);
      else throw error;
    }
  }
  throw new Error("unreachable: the caller's thread is the last rung");
}
