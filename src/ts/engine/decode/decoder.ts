/**
 * A decoder, as the pool sees it: it takes the messages of `messages.ts` and answers them. There
 * are four kinds: a worker from a blob, a worker from a URL, a worker thread of Node, and the
 * engine's own thread. They are tried in this order, because content security policies forbid some
 * and some browsers lack some.
 */

import { breathe } from "../../elements/breathe.ts";
import { openNodeWorker } from "../../port/node_worker.ts";
import { configuration, recycleBytes } from "../configuration.ts";
import { DecodeServer } from "./decode_server.ts";
import type { FromDecoder, ToDecoder } from "./messages.ts";

export type DecoderPlace = "blob" | "url" | "node" | "caller";

export interface Decoder {
  readonly place: DecoderPlace;
  post(message: ToDecoder, transfer: ArrayBuffer[]): void;
  /** Keeps Node's process alive while work is in flight (`true`), and lets it exit otherwise. */
  hold(busy: boolean): void;
  /** Terminates the decoder. Posted messages get no answer. */
  close(): void;
  onanswer: (answer: FromDecoder) => void;
  /** Called when the decoder has crashed. Posted messages get no answer. */
  oncrash: (reason: string) => void;
}

/** The first message to a decoder. It counts as started when it has answered this one. */
type First = Extract<ToDecoder, { type: "module" }>;

const ignore = () => {};

/** Settles a decoder's start with its first answer. Later answers go to `onanswer`. */
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

function webWorker(place: DecoderPlace, worker: Worker, first: First): Promise<Decoder> {
  const start = new Start();
  const decoder: Decoder = {
    place,
    post: (message, transfer) => worker.postMessage(message, transfer),
    hold: ignore,
    close: () => worker.terminate(),
    onanswer: ignore,
    oncrash: ignore,
  };
  worker.onmessage = ({ data }: MessageEvent<FromDecoder>) => start.answer(decoder, data);
  worker.onmessageerror = () => start.crash("a message from a decode worker could not be deserialised");
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
  if (workerScript === undefined) throw new Error("this entry point has no inlined worker");
  if (typeof Worker === "undefined") throw new Error("this environment has no Worker");
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
  if (workerUrl === undefined) throw new Error("init was given no workerUrl");
  if (typeof Worker === "undefined") throw new Error("this environment has no Worker");
  return webWorker("url", new Worker(workerUrl, { type: "module" }), first);
}

async function nodeDecoder(first: First): Promise<Decoder> {
  const { workerScript, workerUrl } = configuration;
  const worker = openNodeWorker(typeof workerScript === "string" ? workerScript : undefined, workerUrl);
  if (!worker) throw new Error("this environment has no worker threads, or no worker script was given");
  const start = new Start();
  const decoder: Decoder = {
    place: "node",
    post: (message, transfer) => worker.postMessage(message, transfer),
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
    close: () => worker.terminate(),
    onanswer: ignore,
    oncrash: ignore,
  };
  worker.on("message", (answer: FromDecoder) => start.answer(decoder, answer));
  worker.on("messageerror", () => start.crash("a message from a decode worker could not be deserialised"));
  worker.on("error", (error: Error) => start.crash(String(error)));
  worker.on("exit", (code: number) => start.crash(`the worker ended with code ${code}`));
  worker.postMessage(first);
  const started = await start.decoder;
  worker.unref();
  return started;
}

/** Makes a decoder on this thread. Other tasks run between its messages. */
export async function localDecoder(first: First): Promise<Decoder> {
  const start = new Start();
  const decoder: Decoder = {
    place: "caller",
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

const ATTEMPTS: [DecoderPlace, (first: First) => Promise<Decoder>][] = [
  ["blob", blobDecoder],
  ["url", urlDecoder],
  ["node", nodeDecoder],
  ["caller", localDecoder],
];

/** The place at which a decoder started, and why the places before it refused. */
export const decoderPlaces: { place: DecoderPlace | undefined; refused: string[] } = {
  place: undefined,
  refused: [],
};

/** Starts a decoder at the first place that works. Later calls use only that place. */
export async function openDecoder(module: WebAssembly.Module): Promise<Decoder> {
  const first: First = { type: "module", home: "engine", module, recycleBytes: recycleBytes() };
  const known = ATTEMPTS.find(([place]) => place === decoderPlaces.place);
  if (known) return known[1](first);
  for (const [place, open] of ATTEMPTS) {
    try {
      const decoder = await open(first);
      decoderPlaces.place ??= place;
      return decoder;
    } catch (error) {
      if (place !== "caller") decoderPlaces.refused.push(`${place}: ${(error as Error).message}`);
      else throw error;
    }
  }
  throw new Error("unreachable: the last place is the caller's thread");
}
