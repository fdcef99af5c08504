/**
 * Opens a channel to an engine. In a page a worker is tried: from a script of the user's, from a
 * blob, from a URL. Content security policies forbid some of these, and some engines lack some.
 * Where none starts, the engine runs on the caller's thread, from a chunk that is loaded then.
 */
import { loadCaller, loadEngine } from "#source";
import { ZarrError } from "../model/errors.ts";
import type { Channel, EnginePlace } from "./channel.ts";
import { configuration, engineOptions, givenWasm } from "./configuration.ts";
import { type NodeWorkerThread, openNodeWorker } from "./node_worker.ts";
import { PATIENCE } from "./patience.ts";
import { PROTOCOL_VERSION, type ToEngine, type ToPage, type WasmText } from "./protocol.ts";

/** Where engines have started, and why not elsewhere. */
export const places: { place: EnginePlace | undefined; refused: string[] } = {
  place: undefined,
  refused: [],
};

type Startup = Extract<ToEngine, { type: "start" }>;

const ignore = () => {};

/**
 * The worker did not start; the next place is tried. A page whose start failed otherwise hears of
 * it.
 */
class NotStarted extends Error {}

/** What a worker's channel needs of a worker, of browsers' or of Node's. */
interface Wire {
  post(messages: ToEngine[], transfer: ArrayBuffer[]): void;
  hold(isBusy: boolean): void;
  end(): void;
}

/** A channel to a worker, once that has answered the first message. */
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
      const timer = setTimeout(() => this.crashed("the worker's script has not answered"), PATIENCE.startMs);
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

  /** The worker runs. The opener of the channel listens from the next microtask on. */
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

/** A worker that runs, and says that it cannot be the engine. */
const brokenError = ({ reason, field }: Extract<ToPage, { type: "broken" }>): Error =>
  field === "protocol" ? new NotStarted(reason) : new ZarrError("Unsupported", reason);

function webChannel(place: EnginePlace, worker: Worker, startup: Startup): Promise<Channel> {
  const startable = new Startable(place, {
    post: (messages, transfer) => worker.postMessage(messages, transfer),
    hold: ignore,
    end: () => worker.terminate(),
  });
  worker.onmessage = ({ data }: MessageEvent<ToPage[]>) => startable.heard(data);
  worker.onmessageerror = () => startable.crashed("a message of the engine's worker could not be read");
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
  worker.on("messageerror", () => startable.crashed("a message of the engine's worker could not be read"));
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

/** A script's URL as pages with Trusted Types want it. */
function scriptUrl(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (!trustedTypes) return url;
  policy ??= trustedTypes.createPolicy("zarr-wasm", { createScriptURL: (text) => text });
  return policy.createScriptURL(url);
}

type Attempt = (startup: Startup) => Promise<Channel>;

function needWorkers(): void {
  if (typeof Worker === "undefined") throw new NotStarted("there is no Worker here");
}

function customAttempt(startup: Startup): Promise<Channel> {
  return webChannel("custom", (configuration.worker as () => Worker)(), startup);
}

async function blobAttempt(startup: Startup): Promise<Channel> {
  needWorkers();
  const { workerScript } = startup.options;
  if (!(workerScript instanceof Blob)) throw new NotStarted("this entry has no worker inlined");
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
  if (workerUrl === undefined) throw new NotStarted("no workerUrl was given to init");
  return webChannel("url", new Worker(scriptUrl(workerUrl), { type: "module" }), startup);
}

async function nodeAttempt(startup: Startup): Promise<Channel> {
  const { workerScript, workerUrl } = startup.options;
  const worker = openNodeWorker(typeof workerScript === "string" ? workerScript : undefined, workerUrl);
  if (!worker) throw new NotStarted("there are no worker threads here");
  return nodeChannel(worker, startup);
}

const isNode = (): boolean =>
  (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node !== undefined;

/**
 * Whether the engine goes to a worker unless `init` says otherwise: from a browser's page alone.
 */
const prefersWorker = (): boolean =>
  (globalThis as { document?: unknown }).document !== undefined && typeof Worker !== "undefined" && !isNode();

/** The places to try, in this order. */
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

/** The wasm of the engine: as `init` was told, or inlined. */
async function engineWasm(): Promise<{ wasm: WasmText | undefined; script: string | undefined }> {
  const [given, inlined] = await Promise.all([givenWasm("engine"), loadEngine?.()]);
  return { wasm: given ?? (inlined && { deflated: inlined.wasm }), script: inlined?.worker };
}

/** Starts an engine at the first place that works. */
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
