/**
 * A decoder, as the pool sees it: it takes the messages of `messages.ts` and answers them. There
 * are four kinds: a worker from a blob, a worker from a URL, a worker thread of Node, and the
 * engine's own thread. They are tried in this order, the URL first if there is one, because content
 * security policies forbid some and some browsers lack some.
 */

import { pauseIfDue } from "../../elements/pause.ts";
import { Crash } from "../../port/crash.ts";
import { watchSilence } from "../../port/silence.ts";
import { type RunningWorker, startWorker, workerPlaces } from "../../port/worker_start.ts";
import { configuration, recycleBytes } from "../configuration.ts";
import { counters } from "../counters.ts";
import { DecodeServer } from "./decode_server.ts";
import type { FromDecoder, ToDecoder } from "./messages.ts";

type DecoderPlace = "blob" | "url" | "node" | "caller";

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
  /** A crash after the start. */
  readonly crashed = new Crash();

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
    if (this.#started) this.crashed.report(reason);
    else this.#reject(new Error(reason));
  }
}

type DecodeWorker = RunningWorker<ToDecoder, FromDecoder>;

/** Calls back if a worker with work stays silent. Some browsers end workers without an event. */
function watchWork(worker: DecodeWorker, onSilent: (reason: string) => void) {
  const watched = { isBusy: false, heard: 0, post: (ping: { type: "ping" }) => worker.post(ping, []) };
  const hold = (isBusy: boolean): void => {
    watched.isBusy = isBusy;
    worker.hold(isBusy);
    if (isBusy) watchSilence(watched, (ms) => onSilent(`no answer for ${Math.round(ms / 1000)} s`));
  };
  return { watched, hold };
}

/** Posts the first message. Resolves when the worker has answered it. */
async function begin(place: DecoderPlace, worker: DecodeWorker, first: First): Promise<Decoder> {
  const start = new Start();
  const crashed = (reason: string): void => {
    start.crash(reason);
    worker.end();
  };
  const { watched, hold } = watchWork(worker, crashed);
  const decoder: Decoder = {
    place,
    post: worker.post,
    hold,
    close: worker.end,
    onanswer: ignore,
    get oncrash() {
      return start.crashed.listener;
    },
    set oncrash(listener) {
      start.crashed.listener = listener;
    },
  };
  const heard = (answer: FromDecoder): void => {
    watched.heard += 1;
    try {
      if (answer.type !== "pong") start.answer(decoder, answer);
    } catch (error) {
      crashed(`an answer cannot be read: ${error}`);
    }
  };
  worker.listen({ heard, crashed });
  hold(true);
  worker.post(first, []);
  const started = await start.decoder;
  hold(false);
  return started;
}

const workerDecoder =
  (place: "blob" | "url" | "node") =>
  (first: First): Promise<Decoder> => {
    const { workerScript, workerUrl } = configuration;
    const source = { script: workerScript, url: workerUrl, name: "a decode worker" };
    return startWorker(place, source, (worker: DecodeWorker) => begin(place, worker, first));
  };

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
    last = last.then(() => pauseIfDue()).then(() => server.handle(message));
  };
  server.handle(first);
  return start.decoder;
}

/** The places to try, in order. */
function attempts(): [DecoderPlace, (first: First) => Promise<Decoder>][] {
  const [first, second] = workerPlaces(configuration.workerUrl);
  return [
    [first, workerDecoder(first)],
    [second, workerDecoder(second)],
    ["node", workerDecoder("node")],
    ["caller", localDecoder],
  ];
}

/** Starts a decoder at the first place that works. Later calls use only that place. */
export async function openDecoder(module: WebAssembly.Module): Promise<Decoder> {
  const first: First = { type: "module", build: "engine", module, recycleBytes: recycleBytes() };
  const places = attempts();
  const known = places.find(([place]) => place === counters.decoder);
  if (known) return known[1](first);
  for (const [place, open] of places) {
    try {
      const decoder = await open(first);
      counters.decoder ??= place;
      return decoder;
    } catch (error) {
      if (place !== "caller") counters.refused.push(`${place}: ${(error as Error).message}`);
      else throw error;
    }
  }
  throw new Error("unreachable: the last place is the caller's thread");
}
