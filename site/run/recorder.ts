/**
 * Records what the frame of a block does: its requests, and the messages between its threads. The
 * frame and its workers import it first, because it replaces `fetch` and listens to messages. It
 * changes no request and no answer.
 */

/** Times are in ms since 1970, so that threads share one axis. */
export interface RequestRecord {
  kind: "request";
  url: string;
  method: string;
  /** The header Range, or nothing. */
  range: string;
  /** 0 without an answer. */
  status: number;
  bytes: number;
  start: number;
  /** When the head of the answer was there. */
  answered: number;
  end: number;
}

/** A message that a thread got, and the time that it worked on it before it returned. */
export interface WorkRecord {
  kind: "work";
  thread: string;
  start: number;
  end: number;
}

export type TraceRecord = RequestRecord | WorkRecord;

export const CHANNEL = "zarr-wasm-run";

const now = () => performance.timeOrigin + performance.now();

const channel = new BroadcastChannel(CHANNEL);
/** What a page and its workers have in common: the fragment of their addresses. */
const ownRun = () => new URL(self.location.href).hash;
const listeners: ((record: TraceRecord) => void)[] = [];

/** Listens to the records of this thread, and of the workers of the same run. */
export function onRecord(listener: (record: TraceRecord) => void): void {
  listeners.push(listener);
  channel.addEventListener("message", ({ data }) => {
    if (data.run === ownRun()) listener(data.record);
  });
}

/** Tells of a record. */
export function tell(record: TraceRecord): void {
  for (const listener of listeners) listener(record);
  channel.postMessage({ run: ownRun(), record });
}

const originalFetch = self.fetch.bind(self);

/** Tells of a request when its whole body is there. It reads a copy, so that nothing is changed. */
async function tellAtEnd(copy: Response, record: RequestRecord): Promise<void> {
  const body = await copy.arrayBuffer().catch(() => undefined);
  tell({ ...record, bytes: body?.byteLength ?? 0, end: now() });
}

self.fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
  const request = input instanceof Request ? input : undefined;
  const headers = new Headers(init?.headers ?? request?.headers);
  const record: RequestRecord = {
    kind: "request",
    url: request?.url ?? String(input),
    method: init?.method ?? request?.method ?? "GET",
    range: headers.get("range") ?? "",
    status: 0,
    bytes: 0,
    start: now(),
    answered: 0,
    end: 0,
  };
  try {
    const response = await originalFetch(input, init);
    Object.assign(record, { status: response.status, answered: now() });
    tellAtEnd(response.clone(), record);
    return response;
  } catch (error) {
    tell({ ...record, answered: now(), end: now() });
    throw error;
  }
};

/** Tells of the work on each message that a worker gets. */
export function recordWork(thread: () => string): void {
  let start = 0;
  self.addEventListener("message", () => {
    start = now();
    // A task of its own runs when the listeners of this message have returned.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      tell({ kind: "work", thread: thread(), start, end: now() });
    };
    port2.postMessage(null);
  });
}
