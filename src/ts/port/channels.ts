/**
 * Opens a channel to an engine. A page tries to start a worker: first from the user's own function,
 * then from a blob, then from a URL. Content security policies forbid some of these, and some
 * browsers lack some. If no worker starts, the engine runs on the caller's thread, and its program
 * is imported then.
 */
import { loadCaller } from "#source";
import { ZarrError } from "../model/errors.ts";
import { isNode } from "../model/is_node.ts";
import type { Channel, EnginePlace } from "./channel.ts";
import { configuration, engineOptions } from "./configuration.ts";
import { Crash } from "./crash.ts";
import { PROTOCOL_VERSION, type ToEngine, type ToPage } from "./protocol.ts";
import { TIMEOUTS } from "./timeouts.ts";
import { loadStartup } from "./wasm.ts";
import { NotStarted, ofWebWorker, type RunningWorker, startWorker, workerPlaces } from "./worker_start.ts";

/** The place at which an engine started last, and why the other places refused. */
export const places: { place: EnginePlace | undefined; refused: string[] } = {
  place: undefined,
  refused: [],
};

type Startup = Extract<ToEngine, { type: "start" }>;

const ignore = () => {};

type EngineWorker = RunningWorker<ToEngine[], ToPage[]>;

/** A worker that is starting. `started` resolves to the channel when the first message arrives. */
class Startable {
  readonly channel: Channel;
  readonly started: Promise<Channel>;
  #resolve: (channel: Channel) => void = ignore;
  #reject: (reason: Error) => void = ignore;
  readonly #crash = new Crash();
  #isStarted = false;

  constructor(place: EnginePlace, worker: EngineWorker) {
    const crash = this.#crash;
    this.channel = {
      place,
      isLocal: false,
      post: worker.post,
      hold: worker.hold,
      close: worker.end,
      onmessages: ignore,
      get oncrash() {
        return crash.listener;
      },
      set oncrash(listener) {
        crash.listener = listener;
      },
    };
    this.started = new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.#crashed("the worker's script did not answer in time"),
        TIMEOUTS.startMs,
      );
      const settle =
        <T>(act: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer);
          act(value);
        };
      this.#resolve = settle(resolve);
      this.#reject = settle((reason: Error) => {
        worker.end();
        reject(reason);
      });
    });
    worker.listen({
      heard: (messages) => this.#heard(messages),
      crashed: (reason) => this.#crashed(reason),
    });
  }

  #heard(messages: ToPage[]): void {
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

  #crashed(reason: string): void {
    if (this.#isStarted) this.#crash.report(reason);
    else this.#reject(new NotStarted(reason));
  }
}

/**
 * The error for a `broken` message. A worker of another release counts as one that did not start.
 */
const brokenError = ({ reason, field }: Extract<ToPage, { type: "broken" }>): Error =>
  field === "protocol" ? new NotStarted(reason) : new ZarrError("Unsupported", reason);

const ENGINE_WORKER = "the engine's worker";

/** Posts the first message. Resolves when the worker has answered it. */
async function begin(place: EnginePlace, worker: EngineWorker, startup: Startup): Promise<Channel> {
  const { started } = new Startable(place, worker);
  worker.post([startup], []);
  const channel = await started;
  worker.hold(false);
  return channel;
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

/** The program of the engine's worker. In Node it is a text. */
type Script = Blob | string | undefined;

type Attempt = (startup: Startup, script: Script) => Promise<Channel>;

function customAttempt(startup: Startup): Promise<Channel> {
  const worker = (configuration.worker as () => Worker)();
  return begin("custom", ofWebWorker(worker, ENGINE_WORKER), startup);
}

/** An attempt to start the package's own worker script. */
const attemptAt =
  (place: "blob" | "url" | "node"): Attempt =>
  (startup, script) => {
    const isNeeded = place === "node" || script instanceof Blob;
    const source = {
      script: isNeeded ? script : undefined,
      url: startup.options.workerUrl,
      name: ENGINE_WORKER,
      trusted: scriptUrl,
    };
    return startWorker(place, source, (worker: EngineWorker) => begin(place, worker, startup));
  };

/** Whether the engine runs in a worker by default: only in a page of a browser. */
const prefersWorker = (): boolean =>
  (globalThis as { document?: unknown }).document !== undefined && typeof Worker !== "undefined" && !isNode();

/** The places to try, in order. An empty list means the caller's thread. */
function attempts(): [EnginePlace, Attempt][] {
  const { engine = prefersWorker() ? "worker" : "caller", worker } = configuration;
  if (engine === "caller" && !worker) return [];
  const [first, second] = workerPlaces(configuration.workerUrl);
  return [
    ...(worker ? [["custom", customAttempt] as [EnginePlace, Attempt]] : []),
    [first, attemptAt(first)],
    [second, attemptAt(second)],
    ...(isNode() ? [["node", attemptAt("node")] as [EnginePlace, Attempt]] : []),
  ];
}

const scriptOf = (program: string): Script =>
  isNode() ? program : new Blob([program], { type: "text/javascript" });

/** Starts an engine at the first place that works, beginning with the place that worked before. */
export async function openChannel(): Promise<Channel> {
  const { wasm, programs } = await loadStartup();
  const script = programs && scriptOf(programs.decoder + programs.engine);
  const startup: Startup = {
    type: "start",
    version: PROTOCOL_VERSION,
    options: { ...engineOptions(), workerScript: programs && scriptOf(programs.decoder) },
    wasm,
  };
  const tried = attempts();
  const known = tried.filter(([place]) => place === places.place && !configuration.worker);
  for (const [place, attempt] of known.length > 0 ? known : tried) {
    try {
      const channel = await attempt(startup, script);
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
