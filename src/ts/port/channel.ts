/**
 * A way for messages between the page and one engine. `channels.ts` opens them.
 */
import type { EngineStatus, ToEngine, ToPage } from "./protocol.ts";

/**
 * Where the engine runs: in a worker from a blob, from a URL, in a thread of Node's, or on the
 * caller's thread.
 */
export type EnginePlace = "blob" | "url" | "node" | "custom" | "caller";

export interface Channel {
  readonly place: EnginePlace;
  /** Both ends are on this thread: messages are passed as they are, and nothing is cloned. */
  readonly isLocal: boolean;
  post(messages: ToEngine[], transfer: ArrayBuffer[]): void;
  /** While calls are under way, a worker keeps Node's process alive; otherwise it must not. */
  hold(isBusy: boolean): void;
  /** Ends the engine; nothing that was posted will be answered. */
  close(): void;
  /** Of an engine on this thread: its counters now. Others send theirs. */
  status?(): EngineStatus;
  /** Of an engine on this thread: calls a callback of the page's at once. */
  oncall?: (target: number, args: unknown[]) => unknown;
  onmessages: (messages: ToPage[]) => void;
  /** The engine is gone. */
  oncrash: (reason: string) => void;
}
