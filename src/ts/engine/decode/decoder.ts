/**
 * A decoder as the pool sees it: something that takes the messages of `protocol.ts` and answers them. Four kinds: a
 * worker from a blob, a worker from a URL, a worker thread of Node, and the caller's own thread. Which one works is found
 * out by trying, in that order; a content security policy forbids some, and some engines lack some.
 */
import { workerSource } from "#source";
import { configuration, recycleBytes } from "../configuration.ts";
import { breathe } from "../../elements/breathe.ts";
import { DecodeServer } from "./decode_server.ts";
import type { FromDecoder, ToDecoder } from "./messages.ts";

export type Rung = "blob" | "url" | "node" | "caller";

export interface Port {
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
  readonly port: Promise<Port>;
  #resolve: (port: Port) => void = ignore;
  #reject: (reason: Error) => void = ignore;
  #started: Port | undefined;

  constructor() {
    this.port = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  answer(port: Port, answer: FromDecoder): void {
    if (answer.type === "broken") this.crash(answer.reason);
    else if (this.#started) port.onanswer(answer);
    else {
      this.#started = port;
      this.#resolve(port);
    }
  }

  crash(reason: string): void {
    if (this.#started) this.#started.oncrash(reason);
    else this.#reject(new Error(reason));
  }
}

function webWorkerPort(rung: Rung, worker: Worker, first: First): Promise<Port> {
  const start = new Start();
  const port: Port = {
    rung,
    post: (message, transfer) => worker.postMessage(message, transfer),
    hold: ignore,
    close: () => worker.terminate(),
    onanswer: ignore,
    oncrash: ignore,
  };
  worker.onmessage = ({ data }: MessageEvent<FromDecoder>) => start.answer(port, data);
  worker.onmessageerror = () => start.crash("a message to a worker could not be read");
  worker.onerror = (event) => {
    event.preventDefault?.();
    start.crash(event.message || "the worker could not be started");
    worker.terminate();
  };
  worker.postMessage(first);
  return start.port;
}

async function blobPort(first: First): Promise<Port> {
  if (workerSource === undefined) throw new Error("this entry has no worker inlined");
  if (typeof Worker === "undefined") throw new Error("there is no Worker here");
  const url = URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" }));
  try {
    return await webWorkerPort("blob", new Worker(url), first);
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function urlPort(first: First): Promise<Port> {
  const { workerUrl } = configuration;
  if (workerUrl === undefined) throw new Error("no workerUrl was given to init");
  if (typeof Worker === "undefined") throw new Error("there is no Worker here");
  return webWorkerPort("url", new Worker(workerUrl, { type: "module" }), first);
}

/** The part of Node's `Worker` that is used; Node's own types would ask every reader of ours for them. */
interface NodeWorker {
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
  on(event: string, listener: (value: never) => void): void;
  ref(): void;
  unref(): void;
  terminate(): void;
}
type NodeWorkerClass = new (
  source: string | URL,
  options: { eval: boolean; execArgv: string[] },
) => NodeWorker;
interface NodeProcess {
  getBuiltinModule?(name: string): { Worker: NodeWorkerClass };
}

async function nodePort(first: First): Promise<Port> {
  const { process } = globalThis as { process?: NodeProcess };
  const threads = process?.getBuiltinModule?.("node:worker_threads");
  const source = workerSource ?? configuration.workerUrl;
  if (!threads || source === undefined) throw new Error("there are no worker threads here");
  const worker = new threads.Worker(source, { eval: workerSource !== undefined, execArgv: [] });
  const start = new Start();
  const port: Port = {
    rung: "node",
    post: (message, transfer) => worker.postMessage(message, transfer),
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
    close: () => worker.terminate(),
    onanswer: ignore,
    oncrash: ignore,
  };
  worker.on("message", (answer: FromDecoder) => start.answer(port, answer));
  worker.on("messageerror", () => start.crash("a message to a worker could not be read"));
  worker.on("error", (error: Error) => start.crash(String(error)));
  worker.on("exit", (code: number) => start.crash(`the worker ended with code ${code}`));
  worker.postMessage(first);
  const started = await start.port;
  worker.unref();
  return started;
}

/** Decodes on this thread; between parts other tasks have their turn. */
export async function callerPort(first: First): Promise<Port> {
  const start = new Start();
  const port: Port = {
    rung: "caller",
    post: ignore,
    hold: ignore,
    close: ignore,
    onanswer: ignore,
    oncrash: ignore,
  };
  const server = new DecodeServer((answer) => start.answer(port, answer));
  let last: Promise<unknown> = Promise.resolve();
  port.post = (message) => {
    last = last.then(() => breathe()).then(() => server.handle(message));
  };
  server.handle(first);
  return start.port;
}

const LADDER: [Rung, (first: First) => Promise<Port>][] = [
  ["blob", blobPort],
  ["url", urlPort],
  ["node", nodePort],
  ["caller", callerPort],
];

/** The rung that worked, and why those before it did not. */
export const ladder: { rung: Rung | undefined; refused: string[] } = { rung: undefined, refused: [] };

/** Starts a decoder on the first rung that works; once one has, only that one is tried. */
export async function openPort(module: WebAssembly.Module): Promise<Port> {
  const first: First = { type: "module", home: "engine", module, recycleBytes: recycleBytes() };
  const known = LADDER.find(([rung]) => rung === ladder.rung);
  if (known) return known[1](first);
  for (const [rung, open] of LADDER) {
    try {
      const port = await open(first);
      ladder.rung ??= rung;
      return port;
    } catch (error) {
      if (rung !== "caller") ladder.refused.push(`${rung}: ${(error as Error).message}`);
      else throw error;
    }
  }
  throw new Error("unreachable: the caller's thread is the last rung");
}
