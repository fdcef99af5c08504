/**
 * Opens a channel to an engine. A page tries to start a worker: first from the user's own function,
 * then from a blob, then from a URL. Content security policies forbid some of these, and some
 * browsers lack some. If no worker starts, the engine runs on the caller's thread, and its program
 * is imported then.
 */
import { loadCaller, loadEngine } from "#source";
import { ZarrError } from "../model/errors.ts";
import type { Channel, EnginePlace } from "./channel.ts";
import { configuration, engineOptions, givenWasm } from "./configuration.ts";
import { type NodeWorkerThread, openNodeWorker } from "./node_worker.ts";
import { PATIENCE } from "./patience.ts";
import { PROTOCOL_VERSION, type ToEngine, type ToPage, type WasmText } from "./protocol.ts";

/** The place at which an engine started last, and why the other places refused. */
export const places: { place: EnginePlace | undefined; refused: string[] } = {
  place: undefined,
  refused: [],
};

type Startup = Extract<ToEngine, { type: "start" }>;

const ignore = () => {};

/**
 * The worker did not start, so the next place is tried. Any other error ends the start and reaches
 * the caller.
 */
class NotStarted extends Error {}

/** The operations of a worker that a channel needs, for browsers and for Node. */
interface Wire {
  post(messages: ToEngine[], transfer: ArrayBuffer[]): void;
  hold(isBusy: boolean): void;
  end(): void;
}

/** A worker that is starting. `started` resolves to the channel when the first message arrives. */
class Startable {
  readonly channel: Channel;
  readonly started: Promise<Channel>;
  #resolve: (channel: Channel) => void = ignore;
  #reject: (reason: Error) => void = ignore;
  #isStarted = false;

  constructor(place: EnginePlace, wire: Wire) {
    this.channel = {
      place,
      isLocal: false,
      post: wire.post,
      hold: wire.hold,
      close: wire.end,
      onmessages: ignore,
      oncrash: ignore,
    };
    this.started = new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.crashed("the worker's script did not answer in time"),
        PATIENCE.startMs,
      );
      const settle =
        <T>(act: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer);
          act(value);
        };
      this.#resolve = settle(resolve);
      this.#reject = settle((reason: Error) => {
        wire.end();
        reject(reason);
      });
    });
  }

  heard(messages: ToPage[]): void {
    const [first] = messages;
    if (this.#isStarted) this.channel.onmessages(messages);
    else if (first?.type === "broken") this.#reject(brokenError(first));
    else this.#begin(messages.slice(1));
  }

  /**
   * Messages that came with the first one wait for a microtask, because the opener sets
   * `onmessages` only after `started` resolves.
   */
  #begin(others: ToPage[]): void {
    this.#isStarted = true;
    this.#resolve(this.channel);
    if (others.length > 0) queueMicrotask(() => this.channel.onmessages(others));
  }

  crashed(reason: string): void {
    if (this.#isStarted) this.channel.oncrash(reason);
    else this.#reject(new NotStarted(reason));
  }
}

/**
 * The error for a `broken` message. A worker of another release counts as one that did not start.
 */
const brokenError = ({ reason, field }: Extract<ToPage, { type: "broken" }>): Error =>
  field === "protocol" ? new NotStarted(reason) : new ZarrError("Unsupported", reason);

function webChannel(place: EnginePlace, worker: Worker, startup: Startup): Promise<Channel> {
  const startable = new Startable(place, {
    post: (messages, transfer) => worker.postMessage(messages, transfer),
    hold: ignore,
    end: () => worker.terminate(),
  });
  worker.onmessage = ({ data }: MessageEvent<ToPage[]>) => startable.heard(data);
  worker.onmessageerror = () =>
    startable.crashed("a message from the engine's worker could not be deserialised");
  worker.onerror = (event) => {
    event.preventDefault?.();
    startable.crashed(event.message || "the worker could not be started");
  };
  worker.postMessage([startup]);
  return startable.started;
}

function nodeChannel(worker: NodeWorkerThread, startup: Startup): Promise<Channel> {
  const startable = new Startable("node", {
    post: (messages, transfer) => worker.postMessage(messages, transfer),
    hold: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    end: () => void worker.terminate(),
  });
  worker.on("message", (messages: ToPage[]) => startable.heard(messages));
  worker.on("messageerror", () =>
    startable.crashed("a message from the engine's worker could not be deserialised"),
  );
  worker.on("error", (error: Error) => startable.crashed(String(error)));
  worker.on("exit", (code: number) => startable.crashed(`the worker ended with code ${code}`));
  worker.postMessage([startup], []);
  return startable.started.then((channel) => {
    worker.unref();
    return channel;
  });
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): {
    createScriptURL(url: string): string;
  };
}

let policy: ReturnType<TrustedTypes["createPolicy"]> | undefined;

/** Turns a script's URL into the `TrustedScriptURL` that pages with Trusted Types require. */
function scriptUrl(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (!trustedTypes) return url;
  policy ??= trustedTypes.createPolicy("zarr-wasm", { createScriptURL: (text) => text });
  return policy.createScriptURL(url);
}

type Attempt = (startup: Startup) => Promise<Channel>;

function needWorkers(): void {
  if (typeof Worker === "undefined") throw new NotStarted("this environment has no Worker");
}

function customAttempt(startup: Startup): Promise<Channel> {
  return webChannel("custom", (configuration.worker as () => Worker)(), startup);
}

async function blobAttempt(startup: Startup): Promise<Channel> {
  needWorkers();
  const { workerScript } = startup.options;
  if (!(workerScript instanceof Blob)) throw new NotStarted("this entry point has no inlined worker");
  const url = URL.createObjectURL(workerScript);
  try {
    return await webChannel("blob", new Worker(scriptUrl(url)), startup);
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function urlAttempt(startup: Startup): Promise<Channel> {
  needWorkers();
  const { workerUrl } = startup.options;
  if (workerUrl === undefined) throw new NotStarted("init was given no workerUrl");
  return webChannel("url", new Worker(scriptUrl(workerUrl), { type: "module" }), startup);
}

async function nodeAttempt(startup: Startup): Promise<Channel> {
  const { workerScript, workerUrl } = startup.options;
  const worker = openNodeWorker(typeof workerScript === "string" ? workerScript : undefined, workerUrl);
  if (!worker) throw new NotStarted("this environment has no worker threads, or no worker script was given");
  return nodeChannel(worker, startup);
}

const isNode = (): boolean =>
  (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node !== undefined;

/** Whether the engine runs in a worker by default: only in a page of a browser. */
const prefersWorker = (): boolean =>
  (globalThis as { document?: unknown }).document !== undefined && typeof Worker !== "undefined" && !isNode();

/** The places to try, in order. An empty list means the caller's thread. */
function attempts(): [EnginePlace, Attempt][] {
  const { engine = prefersWorker() ? "worker" : "caller", worker } = configuration;
  if (engine === "caller" && !worker) return [];
  return [
    ...(worker ? [["custom", customAttempt] as [EnginePlace, Attempt]] : []),
    ["blob", blobAttempt],
    ["url", urlAttempt],
    ...(isNode() ? [["node", nodeAttempt] as [EnginePlace, Attempt]] : []),
  ];
}

/** The wasm of the engine, from `init` or from the inlined chunk, and the inlined worker script. */
async function engineWasm(): Promise<{ wasm: WasmText | undefined; script: string | undefined }> {
  const [given, inlined] = await Promise.all([givenWasm("engine"), loadEngine?.()]);
  return { wasm: given ?? (inlined && { deflated: inlined.wasm }), script: inlined?.worker };
}

/** Starts an engine at the first place that works, beginning with the place that worked before. */
export async function openChannel(): Promise<Channel> {
  const { wasm, script } = await engineWasm();
  const workerScript =
    script === undefined || isNode() ? script : new Blob([script], { type: "text/javascript" });
  const startup: Startup = {
    type: "start",
    version: PROTOCOL_VERSION,
    options: { ...engineOptions(), workerScript },
    wasm,
  };
  const tried = attempts();
  const known = tried.filter(([place]) => place === places.place && !configuration.worker);
  for (const [place, attempt] of known.length > 0 ? known : tried) {
    try {
      const channel = await attempt(startup);
      places.place = place;
      return channel;
    } catch (error) {
      if (error instanceof ZarrError) throw error;
      const reason = `${place}: ${(error as Error).message}`;
      if (!places.refused.includes(reason)) places.refused.push(reason);
    }
  }
  places.place = "caller";
  return (await loadCaller()).openCaller(startup);
}
