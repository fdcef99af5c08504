/**
 * Worker threads of Node. Found at run time: bundlers for browsers see no import, and Node's types
 * are not asked of users.
 */

export interface NodeWorkerThread {
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
 * A thread that runs a program's text, or the file at a URL; undefined where there are no threads,
 * or no program.
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
