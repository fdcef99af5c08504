/**
 * A call of the page's that the engine works on: its events, its credits, and how often it tells
 * how far it is. Operations see it as their `CallContext`.
 */
import type { ToPage } from "../port/protocol.ts";
import type { CallContext } from "./operations/context.ts";

/** Progress is told at most so often, in ms: once a frame. */
const FRAME_MS = 16;

type Post = (message: ToPage, transfer: ArrayBuffer[]) => void;

export interface OpenCall {
  readonly controller: AbortController | undefined;
  readonly context: CallContext;
  /** Buffers that are given away with the answer. */
  readonly transfer: ArrayBuffer[];
  /** The page has taken one event more. */
  credit(): void;
  /** Sends the progress that was held back. */
  flush(): void;
}

interface Circumstances {
  post: Post;
  isAbortable: boolean;
  /** The page is on this thread: no message is saved by telling it less often. */
  isLocal: boolean;
}

/** Counts what the page has taken; `taken` resolves once for each. */
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

/** Passes on at most one event a frame; `flush` passes on the last one. */
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

/** Opens a call under its number. */
export function openCall(call: number, { post, isAbortable, isLocal }: Circumstances): OpenCall {
  const controller = isAbortable ? new AbortController() : undefined;
  const transfer: ArrayBuffer[] = [];
  const { credit, taken } = creditAccount();
  const send = (event: unknown, buffers: ArrayBuffer[] = []) => post({ type: "event", call, event }, buffers);
  const { tell, flush } = oncePerFrame(send);
  const context: CallContext = {
    signal: controller?.signal,
    send,
    tell: isLocal ? send : tell,
    credited: taken,
    give: (buffer) => {
      if (buffer instanceof ArrayBuffer && !transfer.includes(buffer)) transfer.push(buffer);
    },
  };
  return { controller, context, transfer, credit, flush };
}
