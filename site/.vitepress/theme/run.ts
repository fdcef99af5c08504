/**
 * Runs a program in a frame, and gathers what the frame tells. It knows no element of the page but
 * the frame. Programs that stand in the documentation are files of the site; edited ones are made
 * here, and served by a service worker, because a strict policy lets no other script run.
 */
import type { FrameMessage } from "../../run/frame.ts";
import type { RequestRecord } from "../../run/recorder.ts";
import type { Shown } from "../../run/results.ts";
import { siteUrl } from "./base.ts";

export interface Result {
  line: number;
  name?: string;
  value: Shown;
}

/** What a run has shown so far. */
export interface Outcome {
  state: "starting" | "running" | "done" | "failed";
  results: Result[];
  logs: string[];
  requests: RequestRecord[];
  error: string;
  /** From the block's first statement to its last, in ms. */
  ms: number;
}

interface Source {
  code: string;
  group: string;
}

const EDITED = "zarr-wasm-edited";
const MAX_LOGS = 40;
let runs = 0;

/** The blocks of a page, as they stand in the documentation. */
export async function blocksOf(page: string): Promise<Source[]> {
  const response = await fetch(siteUrl(`run/programs/${page}.json`));
  return response.json();
}

/** Resolves when the service worker can answer. Rejects where there is none. */
async function serviceWorker(): Promise<void> {
  const registration = await navigator.serviceWorker.register(siteUrl("run/service_worker.js"));
  const worker = registration.active ?? registration.waiting ?? registration.installing;
  if (!worker) throw new Error("the service worker did not start");
  while (worker.state !== "activated") {
    if (worker.state === "redundant") throw new Error("the service worker did not start");
    await new Promise((resolve) => worker.addEventListener("statechange", resolve, { once: true }));
  }
}

/** The address of an edited program. */
async function editedProgram(code: string): Promise<string> {
  runs += 1;
  const script = new Response(code, { headers: { "Content-Type": "text/javascript" } });
  try {
    await serviceWorker();
    const address = siteUrl(`run/edited/${Date.now()}-${runs}.js`);
    const cache = await caches.open(EDITED);
    for (const key of await cache.keys()) await cache.delete(key);
    await cache.put(address, script);
    return address;
  } catch {
    // Where there is no service worker, a policy usually allows this.
    return URL.createObjectURL(await script.blob());
  }
}

/** The address of the program of a block, with the edited texts of the page's blocks. */
export async function programAddress(
  page: string,
  block: number,
  edited: ReadonlyMap<number, string>,
): Promise<string> {
  const before = [...edited.keys()].filter((at) => at <= block);
  if (before.length === 0) return siteUrl(`run/programs/${page}-${block}.js`);
  const [{ moduleFile, programOf }, blocks] = await Promise.all([
    import("../../run/program.mjs"),
    blocksOf(page),
  ]);
  const now = blocks.map((source, at) => ({ ...source, code: edited.get(at) ?? source.code }));
  const address = (name: string) => siteUrl(`run/modules/${moduleFile(name)}`);
  return editedProgram(programOf(now, block, address));
}

export const newOutcome = (): Outcome => ({
  state: "starting",
  results: [],
  logs: [],
  requests: [],
  error: "",
  ms: 0,
});

/** Enters a message of the frame. `begun` is the time at which the block began. */
function enter(outcome: Outcome, message: FrameMessage, begun: number): void {
  if (message.kind === "begun") Object.assign(outcome, newOutcome(), { state: "running" });
  else if (message.kind === "shown") outcome.results.push(message);
  else if (message.kind === "log" && outcome.logs.length < MAX_LOGS) outcome.logs.push(message.text);
  else if (message.kind === "record" && message.record.kind === "request")
    outcome.requests.push(message.record);
  else if (message.kind === "failed") Object.assign(outcome, { state: "failed", error: message.text });
  else if (message.kind === "done" && outcome.state !== "failed")
    Object.assign(outcome, { state: "done", ms: message.at - begun });
}

/**
 * Starts a program in a frame that is in the page. Resolves when its last statement has run; what
 * it does later is entered, too. The function that is returned ends it.
 */
export function runIn(frame: HTMLIFrameElement, program: string, outcome: Outcome): () => void {
  let begun = 0;
  const listen = ({ source, data }: MessageEvent<FrameMessage>) => {
    if (source !== frame.contentWindow) return;
    if (data.kind === "ready") frame.contentWindow?.postMessage({ program }, location.origin);
    if (data.kind === "begun") begun = data.at;
    enter(outcome, data, begun);
  };
  addEventListener("message", listen);
  runs += 1;
  frame.src = `${siteUrl("run/frame.html")}#${runs}`;
  return () => {
    removeEventListener("message", listen);
    frame.src = "about:blank";
  };
}
