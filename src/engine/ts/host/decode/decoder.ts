/**
 * A decoder, as the pool sees it: it takes the messages of `messages.ts` and answers them. There
 * are four kinds: a worker from a blob, a worker from a URL, a worker thread of Node, and the
 * engine's own thread. They are tried in this order, the URL first if there is one, because content
 * security policies forbid some and some browsers lack some. `idleClock` ends those that have
 * nothing to do.
 */
import { pauseIfDue } from "../../model/waiting.ts";
import type { EngineStatus } from "../../port/protocol.ts";
import {
  firstOpened,
  Inbox,
  type RunningWorker,
  started,
  startedAt,
  workerKinds,
} from "../../port/worker_start.ts";
import type { EngineState } from "../state.ts";
import { DecodeServer } from "./decode_server.ts";
import type { FromDecoder, ToDecoder } from "./messages.ts";

type DecoderKind = NonNullable<EngineStatus["decoder"]>;
type DecodeWorker = RunningWorker<ToDecoder, FromDecoder>;

export interface Decoder extends DecodeWorker {
  readonly kind: DecoderKind;
}

/** How a decoder is started. It counts as started when it has answered the first message. */
const startOf = (module: WebAssembly.Module, state: EngineState) => ({
  first: { type: "module", build: "engine", module, recycleBytes: state.recycleBytes() } as ToDecoder,
  ping: { type: "ping" } as ToDecoder,
  refusal: (answer: FromDecoder) => (answer?.type === "broken" ? new Error(answer.reason) : undefined),
});

const ignore = () => {};

/** Makes a decoder on this thread. Other tasks run between its messages. */
export async function localDecoder(module: WebAssembly.Module, state: EngineState): Promise<Decoder> {
  const inbox = new Inbox<FromDecoder>();
  const server = new DecodeServer((answer) => inbox.heard(answer));
  let last: Promise<unknown> = Promise.resolve();
  const here: DecodeWorker = {
    post(message) {
      last = last.then(() => pauseIfDue()).then(() => server.handle(message));
    },
    hold: ignore,
    close: ignore,
    listen: (listener) => inbox.listen(listener),
  };
  return { ...(await started(here, startOf(module, state))), kind: "caller", hold: ignore };
}

/** Starts a decoder of the first kind that works. Later calls use only that kind. */
export async function openDecoder(module: WebAssembly.Module, state: EngineState): Promise<Decoder> {
  const { counters } = state;
  const { workerScript, workerUrl } = state.options;
  const source = { script: workerScript, url: workerUrl, name: "a decode worker" };
  const openAs = async (kind: DecoderKind): Promise<Decoder> =>
    kind === "caller"
      ? localDecoder(module, state)
      : { ...(await startedAt(kind, source, startOf(module, state))), kind };
  if (counters.decoder) return openAs(counters.decoder);
  const kinds = [...workerKinds(workerUrl), "node"] as const;
  const decoder = (await firstOpened(kinds, openAs, counters.refused)) ?? (await openAs("caller"));
  counters.decoder ??= decoder.kind;
  return decoder;
}

/** The longest delay of a timer, in ms. */
const LONGEST = 2 ** 31 - 1;

/**
 * A timer that ends what has been idle for `limit()` ms. It does not keep Node's process alive.
 * Returns the function to call when something is idle from then on, or the limit may have changed.
 * `end(since)` ends what has been idle since then, and returns whether anything is left to watch.
 */
export function idleClock(limit: () => number, end: (since: number) => boolean): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Time at which the timer fires. */
  let due = Number.POSITIVE_INFINITY;
  return function watch() {
    const ms = Math.max(1, limit());
    const next = performance.now() + ms;
    if (!(ms <= LONGEST) || next >= due) return;
    clearTimeout(timer);
    due = next;
    timer = setTimeout(() => {
      due = Number.POSITIVE_INFINITY;
      if (end(performance.now() - limit())) watch();
    }, ms);
    (timer as { unref?(): void }).unref?.();
  };
}
