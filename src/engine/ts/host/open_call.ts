/**
 * One call of the page that the engine performs: its events, which the page takes, and
 * the rate of its progress events. Operations see it as their `CallContext`.
 */
import { isArrayBuffer } from "../model/realms.ts";
import type { ToPage } from "../port/protocol.ts";
import type { Engine } from "./engine.ts";
import type { CallContext } from "./operations/operation.ts";

/** Minimum time in ms between two progress events: one frame. */
const FRAME_MS = 16;

type Post = (message: ToPage, transfer: ArrayBuffer[]) => void;

export interface OpenCall {
  readonly controller: AbortController | undefined;
  readonly context: CallContext;
  /** Buffers to transfer with the answer. */
  readonly transfer: ArrayBuffer[];
  /** The page has taken one more event. */
  taken(): void;
  /** Sends the progress event that was held back. */
  flush(): void;
}

interface Circumstances {
  post: Post;
  isAbortable: boolean;
  engine: Engine;
}

/** Counts the events that the page has taken. `whenTaken` resolves once for each. */
function countTaken() {
  let unclaimed = 0;
  const waiting: (() => void)[] = [];
  const taken = () => {
    const first = waiting.shift();
    if (first) first();
    else unclaimed += 1;
  };
  const whenTaken = (): Promise<void> => {
    if (unclaimed === 0) return new Promise((resolve) => waiting.push(resolve));
    unclaimed -= 1;
    return Promise.resolve();
  };
  return { taken, whenTaken };
}

/** Sends at most one event a frame. `flush` sends the last one. */
function oncePerFrame(send: (event: unknown) => void) {
  let held: { event: unknown } | undefined;
  let sentAt = Number.NEGATIVE_INFINITY;
  const flush = () => {
    if (held) send(held.event);
    held = undefined;
  };
  const tell = (event: unknown) => {
    held = { event };
    const now = performance.now();
    if (now - sentAt < FRAME_MS) return;
    sentAt = now;
    flush();
  };
  return { tell, flush };
}

/** Opens the call with this id. */
export function openCall(call: number, { post, isAbortable, engine }: Circumstances): OpenCall {
  const controller = isAbortable ? new AbortController() : undefined;
  const transfer: ArrayBuffer[] = [];
  const { taken, whenTaken } = countTaken();
  const send = (event: unknown, buffers: ArrayBuffer[] = []) => post({ type: "event", call, event }, buffers);
  const { tell, flush } = oncePerFrame(send);
  const context: CallContext = {
    engine,
    signal: controller?.signal,
    send,
    // To a page on this thread every progress event is sent: it costs no message.
    tell: engine.page.isLocal ? send : tell,
    whenTaken,
    give: (buffer) => {
      if (isArrayBuffer(buffer) && !transfer.includes(buffer)) transfer.push(buffer);
    },
  };
  return { controller, context, transfer, taken, flush };
}
