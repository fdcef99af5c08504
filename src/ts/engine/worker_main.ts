/**
 * The program of a worker, for both of its roles. A list of messages comes from the page, for the
 * engine; a single message comes from the engine, for a decoder. The same text runs as a blob
 * worker, as a worker from a URL, and in Node's worker threads. It imports no module, so that it
 * can start as a classic script.
 */
import type { ToEngine, ToPage } from "../port/protocol.ts";
import { DecodeServer } from "./decode/decode_server.ts";
import type { FromDecoder, ToDecoder } from "./decode/messages.ts";
import { PageLink } from "./page.ts";
import { EngineServer } from "./server.ts";
import { StatusReporter } from "./status_reporter.ts";

type Message = ToDecoder | ToEngine[];

interface Wire {
  post(message: FromDecoder | ToPage[], transfer: ArrayBuffer[]): void;
  listen(handle: (message: Message) => void): void;
}

/** The used part of a worker's global scope. TypeScript's DOM library describes pages only. */
interface WorkerScope {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  addEventListener(type: "message", listener: (event: { data: Message }) => void): void;
}

interface NodePort {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  on(type: "message", listener: (message: Message) => void): void;
}

function nodeWire(): Wire {
  const { parentPort } = process.getBuiltinModule("node:worker_threads") as unknown as {
    parentPort: NodePort;
  };
  return {
    post: (message, transfer) => parentPort.postMessage(message, transfer),
    listen: (handle) => parentPort.on("message", handle),
  };
}

function webWire(scope: WorkerScope): Wire {
  return {
    post: (message, transfer) => scope.postMessage(message, transfer),
    listen: (handle) => scope.addEventListener("message", ({ data }) => handle(data)),
  };
}

const scope = globalThis as unknown as Partial<WorkerScope>;
const wire = typeof scope.postMessage === "function" ? webWire(scope as WorkerScope) : nodeWire();

/** Messages of the engine, collected until the end of the turn. */
let outbox: ToPage[] = [];
let outgoing: ArrayBuffer[] = [];
const reporter = new StatusReporter();

function flush(): void {
  const [messages, transfer] = [outbox, outgoing];
  [outbox, outgoing] = [[], []];
  // Counters precede the answers whose work they count.
  const status = reporter.changed();
  wire.post(status ? [{ type: "status", status }, ...messages] : messages, transfer);
}

function postSoon(message: ToPage, transfer: ArrayBuffer[] = []): void {
  if (outbox.length === 0) queueMicrotask(flush);
  outbox.push(message);
  outgoing.push(...transfer);
}

let engine: EngineServer | undefined;
let decoder: DecodeServer | undefined;

wire.listen((message) => {
  if (Array.isArray(message)) {
    engine ??= new EngineServer(postSoon, new PageLink(postSoon));
    for (const each of message) engine.receive(each);
  } else {
    decoder ??= new DecodeServer(wire.post);
    void decoder.handle(message);
  }
});
