/**
 * Worker threads of Node. They are looked up at run time, so that bundlers for browsers see no
 * import and users need no types of Node.
 */

interface NodeWorkerThread {
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
  on(event: string, listener: (value: never) => void): void;
  ref(): void;
  unref(): void;
  terminate(): unknown;
}

type NodeWorkerClass = new (
  source: string | URL,
  options: { eval: boolean; execArgv: string[] },
) => NodeWorkerThread;

interface NodeProcess {
  getBuiltinModule?(name: string): { Worker: NodeWorkerClass };
}

/**
 * Starts a thread from a script's text or URL. Returns undefined if the environment has no threads
 * or neither is given.
 */
export function openNodeWorker(
  script: string | undefined,
  url: string | undefined,
): NodeWorkerThread | undefined {
  const { process } = globalThis as { process?: NodeProcess };
  const threads = process?.getBuiltinModule?.("node:worker_threads");
  const source = script ?? (url === undefined ? undefined : new URL(url));
  if (!threads || source === undefined) return undefined;
  return new threads.Worker(source, { eval: script !== undefined, execArgv: [] });
}
