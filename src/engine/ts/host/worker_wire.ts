/**
 * A worker's end of its message channel, in browsers and in Node's worker threads. Both programs of
 * workers use it: that of the engine (`engine_main.ts`) and that of decode workers
 * (`decode/decode_main.ts`).
 */
interface Wire {
  post(message: unknown, transfer: ArrayBuffer[]): void;
  listen(handle: (message: unknown) => void): void;
}

/** The used part of a worker's global scope. TypeScript's DOM library describes pages only. */
interface WorkerScope {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
}

interface NodePort {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  on(type: "message", listener: (message: unknown) => void): void;
}

function nodeWire(): Wire {
  const { parentPort } = process.getBuiltinModule("node:worker_threads") as {
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

const scope = globalThis as Partial<WorkerScope>;

export const wire = typeof scope.postMessage === "function" ? webWire(scope as WorkerScope) : nodeWire();
