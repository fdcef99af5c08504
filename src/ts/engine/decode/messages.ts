/**
 * The messages between the caller's thread and whatever decodes: a worker, or the same code on the
 * caller's own thread. Nothing here knows what the numbers in headers and tables mean; they go from
 * one wasm instance to another.
 */

import type { Failure } from "../../codec/fault.ts";
import type { CodecAnswer, CodecRequest } from "../../codec/site.ts";
import type { Placement } from "../../elements/rows.ts";
import type { Home } from "../../model/node_summary.ts";
import type { Gate } from "./gate.ts";

export type { Failure, Home };

/**
 * One arrived response, cut for one part: a table of pieces and the buffers that it refers to by
 * position.
 */
export interface Supply {
  table: Uint32Array;
  buffers: Uint8Array[];
  /** The buffers are copies, whose memory comes back with the answer. */
  isCopied?: boolean;
  /** Where each buffer ends, where all of them stand one behind the other in the only one. */
  ends?: Uint32Array | undefined;
}

/**
 * What of a stored chunk changes: the bytes that are stored, where they matter, and the new
 * elements.
 */
export interface Update {
  old: Uint8Array | undefined;
  elements: Uint8Array;
}

/** A result in memory that workers share, and where in it a part goes. */
export interface SharedTarget {
  memory: Uint8Array<SharedArrayBuffer>;
  placement: Placement;
  /** Says whether it may still be written to. */
  gate: Gate;
}

export interface WorkMessage {
  type: "work";
  part: number;
  /** Only in a part's first message; of an update the header says what goes where. */
  begin?: { array: number; header: Uint32Array };
  supplies: Supply[];
  /** Instead of supplies: the part is a stored chunk that is to be encoded. */
  update?: Update;
  /** What codecs of the user's made on the caller's thread. */
  answers?: CodecAnswer[];
  /** All supplies are in: answer with the part's elements. */
  finish: boolean;
  /**
   * On the caller's own thread: takes the elements where they stand, and they are gone when it
   * returns.
   */
  take?: ((elements: Uint8Array) => void) | undefined;
  /** In a worker: takes the elements instead of the answer. */
  target?: SharedTarget;
  /** Memory of a part that has been placed, for this one. */
  spare?: Uint8Array<ArrayBuffer>;
}

/** What a decoder knows an array by. */
export interface ArrayMessage {
  home: Home;
  document: string;
  /** The user's codecs that it has, if any, and the URLs of those that are modules. */
  users?: string;
  modules?: Record<string, string>;
}

export type ToDecoder =
  | { type: "module"; home: Home; module: WebAssembly.Module; recycleBytes: number }
  | ({ type: "bind"; array: number } & ArrayMessage)
  | { type: "unbind"; array: number }
  | { type: "cancel"; part: number }
  | WorkMessage;

/** What an update made of a chunk, where there are no bytes to be stored. */
export type Unstored = "same" | "empty";

/**
 * How a work message ended: of a part that goes on, `done` says nothing more. `trap` is what
 * remains of a panic. A part that waits for codecs of the user's `asks` for those that run on the
 * caller's thread; those that run here (`isRunning`) have `answered` later, which asks for another
 * message. `warnings` are of the chunks that were decoded for the message.
 */
export type Outcome = { warnings?: string[] } & Ended;

type Ended =
  | { type: "done"; part: number; elements?: Uint8Array<ArrayBuffer>; unstored?: Unstored; isTaken?: boolean }
  | { type: "asks"; part: number; requests: CodecRequest[]; isRunning: boolean }
  | ({ type: "failed"; part: number } & Failure)
  | { type: "trapped"; part: number; trap: string };

/** `returned` is memory of supplies. */
export type FromDecoder =
  | { type: "ready"; home: Home }
  | { type: "broken"; reason: string }
  | { type: "answered"; part: number }
  | (Outcome & { ms?: number; returned?: ArrayBuffer[] });
