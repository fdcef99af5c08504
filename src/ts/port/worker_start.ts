/**
 * Starts workers, for the engine (`channels.ts`) and for decoding (`engine/decode/decoder.ts`): in
 * browsers from a blob or a URL, in Node as a thread. It hides the differences between them. It
 * does not know the messages, and does not decide which place to try.
 */
import { openNodeWorker } from "./node_worker.ts";

/**
 * The order of the places in a browser. A page with a `workerUrl` probably forbids blob workers.
 * Trying them there would put an error into the console.
 */
export const workerPlaces = (workerUrl: unknown): ["url", "blob"] | ["blob", "url"] =>
  workerUrl === undefined ? ["blob", "url"] : ["url", "blob"];

/** The worker did not start at this place, so another place may be tried. */
export class NotStarted extends Error {}

interface WorkerListener<Received> {
  heard(message: Received): void;
  /** The worker failed. It may fail several times, and before its first message. */
  crashed(reason: string): void;
}

/** A worker of a browser or of Node. */
export interface RunningWorker<Sent, Received> {
  post(message: Sent, transfer: ArrayBuffer[]): void;
  /** Keeps the process of Node or Bun alive (`true`), or lets it exit. No effect in browsers. */
  hold(isBusy: boolean): void;
  end(): void;
  /** Sets the listener. Call it before the first message is posted. */
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

type Begin<Sent, Received, Started> = (worker: RunningWorker<Sent, Received>) => Promise<Started>;

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
    end: () => worker.terminate(),
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

function nodeThread<Sent, Received>({ script, url, name }: WorkerSource): RunningWorker<Sent, Received> {
  const thread = openNodeWorker(typeof script === "string" ? script : undefined, url);
  if (!thread) throw new NotStarted("this environment has no worker threads, or no worker script was given");
  return {
    post: (message, transfer) => thread.postMessage(message, transfer),
    hold: (isBusy) => (isBusy ? thread.ref() : thread.unref()),
    end: () => void thread.terminate(),
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

/** The blob's URL must be valid until the worker has answered. */
async function fromBlob<Sent, Received, Started>(
  { script, name, trusted = same }: WorkerSource,
  begin: Begin<Sent, Received, Started>,
): Promise<Started> {
  if (script === undefined) throw new NotStarted("this entry point has no inlined worker");
  const blob = script instanceof Blob ? script : new Blob([script], { type: "text/javascript" });
  const url = URL.createObjectURL(blob);
  try {
    return await begin(ofWebWorker(new Worker(trusted(url)), name));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * Starts a worker at a place. `begin` posts the first message and resolves when the worker has
 * answered it. Rejects with a `NotStarted` if the place has no workers or no source.
 */
export async function startWorker<Sent, Received, Started>(
  place: "blob" | "url" | "node",
  source: WorkerSource,
  begin: Begin<Sent, Received, Started>,
): Promise<Started> {
  if (place === "node") return begin(nodeThread(source));
  if (typeof Worker === "undefined") throw new NotStarted("this environment has no Worker");
  return place === "url" ? begin(urlWorker(source)) : fromBlob(source, begin);
}
