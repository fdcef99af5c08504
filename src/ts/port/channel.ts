/**
 * The interface of a message channel between the page and one engine. `channels.ts` opens channels;
 * `engine/caller.ts` makes the one for an engine on the caller's thread.
 */
import type { EngineStatus, ToEngine, ToPage } from "./protocol.ts";
import type { RunningWorker } from "./worker_start.ts";

/**
 * Where the engine runs: a worker that was started from a blob, from a URL or by the user's
 * function (`custom`); a worker thread of Node; or the caller's thread.
 */
export type EnginePlace = "blob" | "url" | "node" | "custom" | "caller";

export interface Channel extends RunningWorker<ToEngine[], ToPage[]> {
  readonly place: EnginePlace;
  /** Both ends run on this thread: messages are passed by reference, not cloned. */
  readonly isLocal: boolean;
  /**
   * Reads the counters directly. Only a channel on this thread has it; the others receive `status`
   * messages.
   */
  status?(): EngineStatus;
  /** Calls a callback of the page synchronously. Only a channel on this thread uses it. */
  oncall?: (target: number, args: unknown[]) => unknown;
}
