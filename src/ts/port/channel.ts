/**
 * The interface of a message channel between the page and one engine. `channels.ts` opens channels;
 * `engine/caller.ts` makes the one for an engine on the caller's thread.
 */
import type { EngineStatus, ToEngine, ToPage } from "./protocol.ts";

/**
 * Where the engine runs: a worker that was started from a blob, from a URL or by the user's
 * function (`custom`); a worker thread of Node; or the caller's thread.
 */
export type EnginePlace = "blob" | "url" | "node" | "custom" | "caller";

export interface Channel {
  readonly place: EnginePlace;
  /** Both ends run on this thread: messages are passed by reference, not cloned. */
  readonly isLocal: boolean;
  post(messages: ToEngine[], transfer: ArrayBuffer[]): void;
  /** Keeps Node's process alive while calls are in flight (`true`), and lets it exit otherwise. */
  hold(isBusy: boolean): void;
  /** Terminates the engine. Posted messages get no answer. */
  close(): void;
  /**
   * Reads the counters directly. Only a channel on this thread has it; the others receive `status`
   * messages.
   */
  status?(): EngineStatus;
  /** Calls a callback of the page synchronously. Only a channel on this thread uses it. */
  oncall?: (target: number, args: unknown[]) => unknown;
  onmessages: (messages: ToPage[]) => void;
  /** Called when the engine has crashed or a message could not be read. */
  oncrash: (reason: string) => void;
}
