/**
 * The messages between the engine and a decoder, which is a worker or the same code on the engine's
 * thread. The headers and tables are opaque here: one wasm instance writes them and another reads
 * them.
 */

import type { DecodeBuild, ErrorRecord } from "../../../../contract/contract.ts";
import type { CodecAnswer, CodecRequest } from "../../codec/site.ts";
import type { CodedArray } from "../../port/definitions.ts";
import type { SharedTarget } from "./gate.ts";

export type { DecodeBuild };

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

/** An array that was bound, the build for it, and the instructions for a part or a chunk. */
interface Begin {
  array: number;
  build: DecodeBuild;
  header: Uint32Array;
}

/** A change of a stored chunk. */
export interface Update extends Begin {
  /** The present bytes, if the change is partial. */
  old: Uint8Array | undefined;
  elements: Uint8Array;
}

/** Bytes to store; null if the chunk is all fill value, undefined if it is unchanged. */
export type Updated = Uint8Array<ArrayBuffer> | null | undefined;

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

/** Where the elements of a part go. Without any of these the result has them. */
export interface PartTarget {
  /** Only on the engine's thread. The elements are in borrowed memory, invalid afterwards. */
  readonly take?: ((elements: Uint8Array) => void) | undefined;
  /** Only in a worker. */
  readonly shared?: SharedTarget | undefined;
  /** Before all others: what is remembered of the elements is the result. */
  readonly reduction?: PartReduction | undefined;
}

/** A piece of a part. */
export interface ReadMessage {
  type: "read";
  id: number;
  /** Only in the first message. */
  begin: Begin | undefined;
  supplies: Supply[];
  /** Results of user codecs that ran on the page. */
  answers: CodecAnswer[];
  /** Set when all supplies have been sent. */
  end: PartTarget | undefined;
  /** Memory of an earlier part, for reuse. */
  spare: Uint8Array<ArrayBuffer> | undefined;
}

/** `begin` and `answers` are as those of a part. */
export interface UpdateMessage {
  type: "update";
  id: number;
  begin: Update | undefined;
  answers: CodecAnswer[];
}

export type WorkMessage =
  | ReadMessage
  | UpdateMessage
  | { type: "codec"; id: number; codec: CodecWork; input: Uint8Array };

export type ToDecoder =
  | { type: "module"; build: DecodeBuild; module: WebAssembly.Module; recycleBytes: number }
  /** The array is bound early in the build, if that has been sent. */
  | ({ type: "bind"; array: number } & CodedArray)
  | { type: "unbind"; array: number }
  | { type: "cancel"; id: number }
  /** Answered at once, to show that the decoder lives. */
  | { type: "ping" }
  | WorkMessage;

/** The answer to a work message. `warnings` concern the chunks decoded for this message. */
export type Outcome = { id: number; warnings?: string[] } & (
  | { type: "done"; result: Updated }
  /** A part goes on with its next supplies. */
  | { type: "begun" }
  /**
   * The user's codecs must run. `requests` are for those on the page; those that run in the decoder
   * (`isRunning`) send `answered` later, and the pool then posts another message.
   */
  | { type: "asks"; requests: CodecRequest[]; isRunning: boolean }
  | { type: "failed"; record: ErrorRecord }
  /** With the message of a panic. */
  | { type: "trapped"; trap: string }
);

/** `returned` is the memory of supplies. `ms` is the decoder's working time. */
export type FromDecoder =
  | { type: "ready"; build: DecodeBuild }
  | { type: "broken"; reason: string }
  | { type: "pong" }
  | { type: "answered"; id: number }
  | (Outcome & { ms?: number; returned?: ArrayBuffer[] });
