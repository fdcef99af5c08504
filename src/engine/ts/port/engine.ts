/**
 * The one engine of the page. It starts at the first call and is replaced when it is lost. Every
 * call of the package passes through `call`.
 *
 * A page tries to start a worker: first from the user's own function, then from a blob, then from a
 * URL. Content security policies forbid some of these, and some browsers lack some. If no worker
 * starts, the engine runs on the caller's thread, and its program is imported then.
 */
import { loadCaller } from "#source";
import { INTERNAL, TrapError, ZarrError } from "../model/errors.ts";
import { isNode } from "../model/node.ts";
import { unlessAborted } from "../model/waiting.ts";
import { configuration, engineOptions } from "./configuration.ts";
import { type CallOptions, Connection, EngineLost, type MakeArguments } from "./connection.ts";
import { answeredLightly, dropLight } from "./light.ts";
import type { AnswerOf, OperationName } from "./operations.ts";
import { type Channel, type EngineKind, PROTOCOL_VERSION, type ToEngine, type ToPage } from "./protocol.ts";
import { keepWarning, warn } from "./warnings.ts";
import { loadStartup } from "./wasm.ts";
import { firstOpened, NotStarted, ofWebWorker, started, startedAt, workerKinds } from "./worker_start.ts";

/** The kind of worker in which an engine started last, and why the other kinds refused. */
export const lastStart: { kind: EngineKind | undefined; refused: string[] } = {
  kind: undefined,
  refused: [],
};

type Startup = Extract<ToEngine, { type: "start" }>;

/**
 * The error for a `broken` message. A worker of another release counts as one that did not start.
 */
const brokenError = ({ reason, field }: Extract<ToPage, { type: "broken" }>): Error =>
  field === "protocol" ? new NotStarted(reason) : new ZarrError("Unsupported", reason);

const ENGINE_WORKER = "the engine's worker";

/** How an engine's worker is started. */
const startOf = (startup: Startup) => ({
  first: [startup] as ToEngine[],
  ping: [{ type: "ping" }] as ToEngine[],
  refusal(answer: ToPage[]): Error | undefined {
    const broken = answer.find((message) => message?.type === "broken");
    return broken && brokenError(broken);
  },
});

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

/** Whether the engine runs in a worker by default: only in a page of a browser. */
const prefersWorker = (): boolean =>
  (globalThis as { document?: unknown }).document !== undefined && typeof Worker !== "undefined" && !isNode();

type WorkerKind = Exclude<EngineKind, "caller">;

/** The kinds of workers to try, in order. An empty list means the caller's thread. */
function kindsToTry(): WorkerKind[] {
  const { engine = prefersWorker() ? "worker" : "caller", worker, workerUrl } = configuration;
  if (engine === "caller" && !worker) return [];
  const own: WorkerKind[] = [...workerKinds(workerUrl), ...(isNode() ? (["node"] as const) : [])];
  return worker ? ["custom", ...own] : own;
}

/** Starts an engine's worker: the user's, or one of the package's own script. */
async function openAs(kind: WorkerKind, startup: Startup, script: Script): Promise<Channel> {
  const start = startOf(startup);
  const source = {
    script: kind === "node" || script instanceof Blob ? script : undefined,
    url: startup.options.workerUrl,
    name: ENGINE_WORKER,
    trusted: scriptUrl,
  };
  const worker = await (kind === "custom"
    ? started(
        ofWebWorker<ToEngine[], ToPage[]>((configuration.worker as () => Worker)(), ENGINE_WORKER),
        start,
      )
    : startedAt(kind, source, start));
  return { ...worker, kind, isLocal: false };
}

const scriptOf = (program: string): Script =>
  isNode() ? program : new Blob([program], { type: "text/javascript" });

/** Starts an engine with the first kind that works, beginning with the one that worked before. */
export async function openChannel(): Promise<Channel> {
  const { wasm, programs } = await loadStartup();
  const script = programs && scriptOf(programs.decoder + programs.engine);
  const startup: Startup = {
    type: "start",
    version: PROTOCOL_VERSION,
    options: { ...engineOptions(), workerScript: programs && scriptOf(programs.decoder) },
    wasm,
  };
  const all = kindsToTry();
  const known = all.filter((kind) => kind === lastStart.kind && !configuration.worker);
  const channel = await firstOpened(
    known.length > 0 ? known : all,
    (kind) => openAs(kind, startup, script),
    lastStart.refused,
  );
  lastStart.kind = channel?.kind ?? "caller";
  return channel ?? (await loadCaller()).openCaller(startup);
}

let current: Connection | undefined;
let starting: Promise<Connection> | undefined;
/** Number of calls of `dispose`. An engine that was starting meanwhile is closed. */
let disposals = 0;
let lost = 0;

/** Number of engines that were lost and replaced. */
export const lostEngines = (): number => lost;

const disposed = () => new ZarrError("Aborted", "dispose() ended this call");

/** Whether an engine has started, or is starting. The light build answers nothing from then on. */
let isNeeded = false;

/** Whether the light build is asked before the engine. */
const asksLight = (): boolean => configuration.light ?? (!isNeeded && prefersWorker());

async function start(): Promise<Connection> {
  isNeeded = true;
  const begun = disposals;
  const channel = await openChannel();
  if (begun !== disposals) {
    channel.close();
    throw disposed();
  }
  const connection = new Connection(channel, {
    onwarning(message, path, store) {
      if (store) keepWarning(store, message);
      warn(message, path);
    },
    onlost: (reason) => replace(connection, reason),
  });
  current = connection;
  return connection;
}

/** Returns the engine and starts it if necessary. The next call tries a failed start again. */
export function connect(): Promise<Connection> {
  if (current) return Promise.resolve(current);
  if (!starting) {
    const begun = start().finally(() => {
      if (starting === begun) starting = undefined;
    });
    starting = begun;
  }
  return starting;
}

/** Drops an engine that is lost. Its calls in flight reject. */
function replace(connection: Connection, reason: string): void {
  if (current !== connection) return;
  lost += 1;
  current = undefined;
  connection.close(new EngineLost(reason));
}

interface Options extends CallOptions {
  /**
   * Whether the call may be repeated when the engine is lost or traps. Reads may; writes may not.
   */
  repeats?: boolean;
}

/** Callers get a `ZarrError` for a lost engine. */
const asCallersError = (error: unknown): unknown =>
  error instanceof EngineLost
    ? new ZarrError("Unsupported", `${INTERNAL}: the engine was lost: ${error.message}`, { cause: error })
    : error;

/**
 * Calls an operation of the engine. An abort rejects at once with the signal's reason and ends the
 * requests that no other call needs. If the engine is lost or traps, a call that only reads is
 * repeated once.
 */
export async function call<Name extends OperationName>(
  operation: Name,
  makeArguments: MakeArguments<Name>,
  options: Options = {},
): Promise<AnswerOf<Name>> {
  const { signal, repeats = true } = options;
  signal?.throwIfAborted();
  if ((operation === "open" || operation === "read") && asksLight()) {
    const answer = await answeredLightly(operation, makeArguments, options);
    if (answer) return answer;
  }
  const attempt = async () => {
    const connection = current ?? (await unlessAborted(connect(), signal));
    return connection.call(operation, makeArguments, options);
  };
  try {
    return await attempt();
  } catch (error) {
    const isReplaced = error instanceof EngineLost || error instanceof TrapError;
    if (!isReplaced || !repeats || signal?.aborted) throw asCallersError(error);
  }
  return attempt().catch((error) => {
    throw asCallersError(error);
  });
}

/** Calls an operation that writes. It is not repeated when the engine is lost. */
export const write = <Name extends OperationName>(
  operation: Name,
  makeArguments: MakeArguments<Name>,
  options: CallOptions = {},
): Promise<AnswerOf<Name>> => call(operation, makeArguments, { ...options, repeats: false });

/** The engine, if one runs. */
export const running = (): Connection | undefined => current;

/** Sends changed options to a running engine. */
export function reconfigure(): void {
  current?.post({ type: "configure", options: engineOptions() });
}

/**
 * Ends the engine and its workers, and frees their memory. Calls in flight reject with an error of
 * code `Aborted`. Opened nodes stay usable: the next call starts a new engine.
 */
export function dispose(): void {
  disposals += 1;
  dropLight(disposed());
  starting = undefined;
  const connection = current;
  current = undefined;
  connection?.close(disposed());
}
