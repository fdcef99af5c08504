/**
 * The messages between the engine and a decoder, which is a worker or the same code on the engine's
 * thread. The headers and tables are opaque here: one wasm instance writes them and another reads
 * them.
 */

import type { Failure } from "../../codec/fault.ts";
import type { CodecAnswer, CodecRequest } from "../../codec/site.ts";
import type { DecodeBuild } from "../../model/node_summary.ts";
import type { CodedArray } from "../../port/definitions.ts";
import type { SharedTarget } from "./gate.ts";

export type { DecodeBuild, Failure };

/**
 * One arrived response, cut for one part: a table of chunk instructions, and the buffers that it
 * refers to by position.
 */
export interface Supply {
  table: Uint32Array;
  buffers: Uint8Array[];
  /** The buffers are copies, whose memory is returned with the answer. */
  isCopied?: boolean;
  /** The end of each buffer, if they are concatenated in a single one. */
  ends?: Uint32Array;
}

/**
 * A change of a stored chunk: its present bytes, if the change is partial, and the new elements.
 */
export interface Update {
  old: Uint8Array | undefined;
  elements: Uint8Array;
}

/** A codec that runs on its own, without an array. */
export interface CodecWork {
  /** The codec's description as JSON text, as `src/core/format/codec/standalone.rs` reads it. */
  text: string;
  build: DecodeBuild;
  encodes: boolean;
}

/** What a decoder does with the elements of a part. */
export interface PartReduction {
  /** The module for reductions. */
  module: WebAssembly.Module;
  /** What the part contributes to: `Reducer.within`. */
  request: Uint8Array;
}

export interface WorkMessage {
  type: "work";
  part: number;
  /** Only in a part's first message. For an update, the header describes the change. */
  begin?: { array: number; header: Uint32Array };
  supplies: Supply[];
  /** In place of supplies: the part is a stored chunk to encode. */
  update?: Update;
  /** In place of an array: the codec that takes the elements of `update`. */
  codec?: CodecWork;
  /** Results of user codecs that ran on the page. */
  answers?: CodecAnswer[];
  /** All supplies have been sent: answer with the part's elements. */
  finish: boolean;
  /**
   * Only on the engine's thread: takes the elements in borrowed memory, which is invalid
   * afterwards.
   */
  take?: (elements: Uint8Array) => void;
  /** Only in a worker: receives the elements in place of the answer. */
  target?: SharedTarget;
  /** The answer has what is remembered of the elements, in place of them. */
  reduction?: PartReduction;
  /** Memory of an earlier part, for reuse. */
  spare?: Uint8Array<ArrayBuffer>;
}

export type ToDecoder =
  | { type: "module"; build: DecodeBuild; module: WebAssembly.Module; recycleBytes: number }
  | ({ type: "bind"; array: number } & CodedArray)
  | { type: "unbind"; array: number }
  | { type: "cancel"; part: number }
  /** Answered at once, to show that the decoder lives. */
  | { type: "ping" }
  | WorkMessage;

/** The result of an update without bytes to store: the chunk is unchanged, or all fill value. */
export type Unstored = "same" | "empty";

/**
 * The answer to a work message. `done` without elements means that the part goes on. `trapped` has
 * the message of a panic. `asks` means that the part waits for user codecs: `requests` are for
 * those on the page; those that run in the decoder (`isRunning`) send `answered` later, and the
 * pool then posts another message. `warnings` concern the chunks decoded for this message.
 */
export type Outcome = { warnings?: string[] } & Ended;

type Ended =
  | { type: "done"; part: number; elements?: Uint8Array<ArrayBuffer>; unstored?: Unstored; isTaken?: boolean }
  | { type: "asks"; part: number; requests: CodecRequest[]; isRunning: boolean }
  | ({ type: "failed"; part: number } & Failure)
  | { type: "trapped"; part: number; trap: string };

/** `returned` is the memory of supplies. `ms` is the decoder's working time. */
export type FromDecoder =
  | { type: "ready"; build: DecodeBuild }
  | { type: "broken"; reason: string }
  | { type: "pong" }
  | { type: "answered"; part: number }
  | (Outcome & { ms?: number; returned?: ArrayBuffer[] });
