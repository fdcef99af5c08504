/**
 * Starts workers, for the engine (`engine.ts`) and for decoding (`host/decode/decoder.ts`): in
 * browsers from a blob or a URL, in Node as a thread. It hides the differences between them, tries
 * one kind after the other, and tells when a worker has started, failed, or fallen silent. It does
 * not know the messages.
 */

import { ZarrError } from "../model/errors.ts";
import { nodeModule } from "../model/node.ts";
import { TIMEOUTS, watchSilence } from "./timeouts.ts";

/** The owner of a worker, or of what answers like one. */
export interface WorkerListener<Received> {
  heard(message: Received): void;
  /** The worker failed. It may fail several times, and before its first message. */
  crashed(reason: string): void;
}

/** Listens no more. */
export const NOBODY: WorkerListener<unknown> = { heard() {}, crashed() {} };

type Saying<Received> = (listener: WorkerListener<Received>) => void;

/**
 * What a worker says: its messages, and its crash. Its owner may listen later than it speaks, so
 * what it said until then is kept.
 */
export class Inbox<Received> implements WorkerListener<Received> {
  #listener: WorkerListener<Received> | undefined;
  #kept: Saying<Received>[] = [];
  #isCrashed = false;

  heard(message: Received): void {
    this.#say((listener) => listener.heard(message));
  }

  /** Tells of the crash. A worker crashes once. */
  crashed(reason: string): void {
    if (this.#isCrashed) return;
    this.#isCrashed = true;
    this.#say((listener) => listener.crashed(reason));
  }

  /**
   * Sets the listener. It hears what was kept in a microtask, unless another one is set meanwhile.
   */
  listen(listener: WorkerListener<Received>): void {
    this.#listener = listener;
    const kept = this.#kept.splice(0);
    if (kept.length === 0) return;
    queueMicrotask(() => {
      for (const say of kept) if (this.#listener === listener) say(listener);
    });
  }

  #say(say: Saying<Received>): void {
    if (this.#listener) say(this.#listener);
    else this.#kept.push(say);
  }
}

/**
 * The order of the kinds in a browser. A page with a `workerUrl` probably forbids blob workers.
 * Trying them there would put an error into the console.
 */
export const workerKinds = (workerUrl: unknown): ["url", "blob"] | ["blob", "url"] =>
  workerUrl === undefined ? ["blob", "url"] : ["url", "blob"];

/** The worker did not start, so another kind may be tried. */
export class NotStarted extends Error {}

/** A worker of a browser or of Node. */
export interface RunningWorker<Sent, Received> {
  post(message: Sent, transfer: ArrayBuffer[]): void;
  /** Keeps the process of Node or Bun alive (`true`), or lets it exit. No effect in browsers. */
  hold(isBusy: boolean): void;
  /** Terminates it. Posted messages get no answer. */
  close(): void;
  /** Sets the listener. */
  listen(listener: WorkerListener<Received>): void;
}

/** What to run, and how errors name it. */
interface WorkerSource {
  script: Blob | string | undefined;
  url: string | undefined;
  /** The worker's name in errors, such as "a decode worker". */
  name: string;
  /** Converts a script's URL for pages with Trusted Types. */
  trusted?: (url: string) => string;
}

/** What is said first to a worker, and what its answer means. */
interface Start<Sent, Received> {
  first: Sent;
  /** A message that a worker answers at once. */
  ping: Sent;
  /** The reason for which the worker gives up, if an answer tells one. */
  refusal(answer: Received): Error | undefined;
}

const unreadable = (name: string) => `a message from ${name} could not be deserialised`;

/** Bun's workers keep the process alive unless told otherwise. Browsers have no such methods. */
function holdProcess(worker: Worker, isBusy: boolean): void {
  const { ref, unref } = worker as Worker & Partial<Record<"ref" | "unref", () => void>>;
  (isBusy ? ref : unref)?.call(worker);
}

/** Wraps a worker of a browser. */
export function ofWebWorker<Sent, Received>(worker: Worker, name: string): RunningWorker<Sent, Received> {
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    hold: (isBusy) => holdProcess(worker, isBusy),
    close: () => worker.terminate(),
    listen({ heard, crashed }) {
      worker.onmessage = ({ data }: MessageEvent<Received>) => heard(data);
      worker.onmessageerror = () => crashed(unreadable(name));
      worker.onerror = (event) => {
        event.preventDefault?.();
        crashed(event.message || "the worker could not be started");
      };
    },
  };
}

/** A worker thread of Node. */
interface NodeWorkerThread {
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
  on(event: string, listener: (value: never) => void): void;
  ref(): void;
  unref(): void;
  terminate(): unknown;
}

type NodeWorkerClass = new (
  source: string | URL,
  options: { eval: boolean; execArgv: string[] },
) => NodeWorkerThread;

/**
 * Starts a thread from a script's text or URL. Returns undefined if the environment has no threads
 * or neither is given.
 */
function openNodeWorker(script: string | undefined, url: string | undefined): NodeWorkerThread | undefined {
  const threads = nodeModule("node:worker_threads") as { Worker: NodeWorkerClass } | undefined;
  const source = script ?? (url === undefined ? undefined : new URL(url));
  if (!threads || source === undefined) return undefined;
  return new threads.Worker(source, { eval: script !== undefined, execArgv: [] });
}

function nodeThread<Sent, Received>({ script, url, name }: WorkerSource): RunningWorker<Sent, Received> {
  const thread = openNodeWorker(typeof script === "string" ? script : undefined, url);
  if (!thread) throw new NotStarted("this environment has no worker threads, or no worker script was given");
  return {
    post: (message, transfer) => thread.postMessage(message, transfer),
    hold: (isBusy) => (isBusy ? thread.ref() : thread.unref()),
    close: () => void thread.terminate(),
    listen({ heard, crashed }) {
      thread.on("message", (message: Received) => heard(message));
      thread.on("messageerror", () => crashed(unreadable(name)));
      thread.on("error", (error: Error) => crashed(String(error)));
      thread.on("exit", (code: number) => crashed(`the worker ended with code ${code}`));
    },
  };
}

const same = (url: string) => url;

function urlWorker<Sent, Received>({ url, name, trusted = same }: WorkerSource) {
  if (url === undefined) throw new NotStarted("init was given no workerUrl");
  return ofWebWorker<Sent, Received>(new Worker(trusted(url), { type: "module" }), name);
}

/**
 * Posts the first message. Resolves to the worker when it has answered, and then keeps what it says
 * until its owner listens. A worker that does not start is terminated, and so is one that crashes
 * later, or is silent while it is held.
 */
export function started<Sent, Received>(
  worker: RunningWorker<Sent, Received>,
  { first, ping, refusal }: Start<Sent, Received>,
): Promise<RunningWorker<Sent, Received>> {
  const inbox = new Inbox<Received>();
  const watched = { isBusy: false, heard: 0, post: () => worker.post(ping, []) };
  const crashed = (reason: string): void => {
    watched.isBusy = false;
    worker.close();
    inbox.crashed(reason);
  };
  const running: RunningWorker<Sent, Received> = {
    post: worker.post,
    close: worker.close,
    listen: (listener) => inbox.listen(listener),
    hold(isBusy) {
      watched.isBusy = isBusy;
      worker.hold(isBusy);
      if (isBusy) watchSilence(watched, (ms) => crashed(`no answer for ${Math.round(ms / 1000)} s`));
    },
  };
  return new Promise((resolve, reject) => {
    let isStarted = false;
    const refuse = (reason: Error): void => {
      clearTimeout(timer);
      worker.close();
      reject(reason);
    };
    const late = () => refuse(new NotStarted("the worker's script did not answer in time"));
    const timer = setTimeout(late, TIMEOUTS.startMs);
    const heard = (answer: Received): void => {
      watched.heard += 1;
      const reason = refusal(answer);
      if (!reason) inbox.heard(answer);
      else if (isStarted) crashed(reason.message);
      else refuse(reason);
      if (reason || isStarted) return;
      isStarted = true;
      clearTimeout(timer);
      running.hold(false);
      resolve(running);
    };
    worker.listen({
      heard,
      crashed: (reason) => (isStarted ? crashed(reason) : refuse(new NotStarted(reason))),
    });
    worker.post(first, []);
  });
}

/** The blob's URL must be valid until the worker has answered. */
async function startedFromBlob<Sent, Received>(
  { script, name, trusted = same }: WorkerSource,
  start: Start<Sent, Received>,
): Promise<RunningWorker<Sent, Received>> {
  if (script === undefined) throw new NotStarted("this entry point has no inlined worker");
  const blob = script instanceof Blob ? script : new Blob([script], { type: "text/javascript" });
  const url = URL.createObjectURL(blob);
  try {
    return await started(ofWebWorker(new Worker(trusted(url)), name), start);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * Starts a worker of a kind. Rejects with a `NotStarted` if there are no workers of it or no
 * source, or if the worker does not answer.
 */
export async function startedAt<Sent, Received>(
  kind: "blob" | "url" | "node",
  source: WorkerSource,
  start: Start<Sent, Received>,
): Promise<RunningWorker<Sent, Received>> {
  if (kind === "node") return started(nodeThread(source), start);
  if (typeof Worker === "undefined") throw new NotStarted("this environment has no Worker");
  return kind === "url" ? started(urlWorker(source), start) : startedFromBlob(source, start);
}

/**
 * Opens with the first kind that works. Undefined if none does; then `refused` has the reasons.
 * Errors of this package are thrown: other kinds would have them too.
 */
export async function firstOpened<Kind extends string, Opened>(
  kinds: readonly Kind[],
  openAs: (kind: Kind) => Promise<Opened>,
  refused: string[],
): Promise<Opened | undefined> {
  for (const kind of kinds) {
    try {
      return await openAs(kind);
    } catch (error) {
      if (error instanceof ZarrError) throw error;
      const reason = `${kind}: ${(error as Error).message}`;
      if (!refused.includes(reason)) refused.push(reason);
    }
  }
  return undefined;
}
