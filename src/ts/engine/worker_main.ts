/**
 * A worker's whole program: messages in, answers out. The same text runs as a blob worker, as a worker from a URL, and in
 * Node's worker_threads; it names no module, so that it starts as a classic script too.
 */
import { DecodeServer } from "./decode/decode_server.ts";
import type { FromDecoder, ToDecoder } from "./decode/messages.ts";

interface Port {
  post(answer: FromDecoder, transfer: ArrayBuffer[]): void;
  listen(handle: (message: ToDecoder) => void): void;
}

/** The part of the worker's global scope that this file uses: the DOM library describes pages only. */
interface WorkerScope {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  addEventListener(type: "message", listener: (event: { data: ToDecoder }) => void): void;
}

interface NodePort {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  on(type: "message", listener: (message: ToDecoder) => void): void;
}

function nodePort(): Port {
  const { parentPort } = process.getBuiltinModule("node:worker_threads") as unknown as {
    parentPort: NodePort;
  };
  return {
    post: (answer, transfer) => parentPort.postMessage(answer, transfer),
    listen: (handle) => parentPort.on("message", handle),
  };
}

function webPort(scope: WorkerScope): Port {
  return {
    post: (answer, transfer) => scope.postMessage(answer, transfer),
    listen: (handle) => scope.addEventListener("message", ({ data }) => handle(data)),
  };
}

const scope = globalThis as unknown as Partial<WorkerScope>;
const port = typeof scope.postMessage === "function" ? webPort(scope as WorkerScope) : nodePort();
const server = new DecodeServer(port.post);
port.listen((message) => void server.handle(message));
