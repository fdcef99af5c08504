/**
 * One call of the page that the engine performs: its events, its credits and the rate of its
 * progress events. Operations see it as their `CallContext`.
 */
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
  /** The page has consumed one more event. */
  credit(): void;
  /** Sends the progress event that was held back. */
  flush(): void;
}

interface Circumstances {
  post: Post;
  isAbortable: boolean;
  engine: Engine;
}

/** Counts the events that the page has consumed. `taken` resolves once for each. */
function creditAccount() {
  let credits = 0;
  const waiting: (() => void)[] = [];
  const credit = () => {
    const first = waiting.shift();
    if (first) first();
    else credits += 1;
  };
  const taken = (): Promise<void> => {
    if (credits === 0) return new Promise((resolve) => waiting.push(resolve));
    credits -= 1;
    return Promise.resolve();
  };
  return { credit, taken };
}

/** Sends at most one event a frame. `flush` sends the last one. */
function oncePerFrame(send: (event: unknown) => void) {
  let held: { event: unknown } | undefined;
  let told = Number.NEGATIVE_INFINITY;
  const flush = () => {
    if (held) send(held.event);
    held = undefined;
  };
  const tell = (event: unknown) => {
    held = { event };
    const now = performance.now();
    if (now - told < FRAME_MS) return;
    told = now;
    flush();
  };
  return { tell, flush };
}

/** Opens the call with this number. */
export function openCall(call: number, { post, isAbortable, engine }: Circumstances): OpenCall {
  const controller = isAbortable ? new AbortController() : undefined;
  const transfer: ArrayBuffer[] = [];
  const { credit, taken } = creditAccount();
  const send = (event: unknown, buffers: ArrayBuffer[] = []) => post({ type: "event", call, event }, buffers);
  const { tell, flush } = oncePerFrame(send);
  const context: CallContext = {
    engine,
    signal: controller?.signal,
    send,
    // To a page on this thread every progress event is sent: it costs no message.
    tell: engine.page.isLocal ? send : tell,
    credited: taken,
    give: (buffer) => {
      if (buffer instanceof ArrayBuffer && !transfer.includes(buffer)) transfer.push(buffer);
    },
  };
  return { controller, context, transfer, credit, flush };
}
