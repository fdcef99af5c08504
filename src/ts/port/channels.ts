/**
 * Opens a channel to an engine. A page tries to start a worker: first from the user's own function,
 * then from a blob, then from a URL. Content security policies forbid some of these, and some
 * browsers lack some. If no worker starts, the engine runs on the caller's thread, and its program
 * is imported then.
 */
import { loadCaller } from "#source";
import { ZarrError } from "../model/errors.ts";
import { isNode } from "../model/node.ts";
import { configuration, engineOptions } from "./configuration.ts";
import { type Channel, type EnginePlace, PROTOCOL_VERSION, type ToEngine, type ToPage } from "./protocol.ts";
import { loadStartup } from "./wasm.ts";
import { firstOpened, NotStarted, ofWebWorker, started, startedAt, workerPlaces } from "./worker_start.ts";

/** The place at which an engine started last, and why the other places refused. */
export const places: { place: EnginePlace | undefined; refused: string[] } = {
  place: undefined,
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

type WorkerPlace = Exclude<EnginePlace, "caller">;

/** The places to try, in order. An empty list means the caller's thread. */
function placesToTry(): WorkerPlace[] {
  const { engine = prefersWorker() ? "worker" : "caller", worker, workerUrl } = configuration;
  if (engine === "caller" && !worker) return [];
  const own: WorkerPlace[] = [...workerPlaces(workerUrl), ...(isNode() ? (["node"] as const) : [])];
  return worker ? ["custom", ...own] : own;
}

/** Starts an engine's worker: the user's, or one of the package's own script. */
async function openAt(place: WorkerPlace, startup: Startup, script: Script): Promise<Channel> {
  const start = startOf(startup);
  const source = {
    script: place === "node" || script instanceof Blob ? script : undefined,
    url: startup.options.workerUrl,
    name: ENGINE_WORKER,
    trusted: scriptUrl,
  };
  const worker = await (place === "custom"
    ? started(
        ofWebWorker<ToEngine[], ToPage[]>((configuration.worker as () => Worker)(), ENGINE_WORKER),
        start,
      )
    : startedAt(place, source, start));
  return { ...worker, place, isLocal: false };
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
  const all = placesToTry();
  const known = all.filter((place) => place === places.place && !configuration.worker);
  const channel = await firstOpened(
    known.length > 0 ? known : all,
    (place) => openAt(place, startup, script),
    places.refused,
  );
  places.place = channel?.place ?? "caller";
  return channel ?? (await loadCaller()).openCaller(startup);
}
