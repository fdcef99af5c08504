/**
 * The three kinds of work for decoders: to read a part, to update a chunk, to run a codec. It is
 * here what each is made of, what its messages have, and how it ends. Which decoder does it, and
 * when, is in `decode_pool.ts`.
 */

import type { ChunkToEncode, OwnedBytes } from "../../../../contract/contract.ts";
import type { CodecAnswer } from "../../codec/site.ts";
import type { CodedArray } from "../../port/definitions.ts";
import { ReportedError } from "../wasm_module.ts";
import type { CodecWork, DecodeBuild, PartTarget, Updated, WorkMessage } from "./messages.ts";
import { takeSpare } from "./part_memory.ts";
import type { CopyMemory, OwnedSupply } from "./transfer.ts";

/** An array as decoders know it. A build binds it once, from its metadata documents. */
export interface BoundArray extends CodedArray {
  readonly id: number;
  /** Receives warnings about its chunks. */
  readonly warn: (message: string) => void;
}

/** A part to read, whose supplies arrive one by one. */
export interface ReadPart {
  readonly kind: "read";
  readonly array: BoundArray;
  readonly header: Uint32Array;
  /** Supplies that were not posted yet. */
  readonly supplies: OwnedSupply[];
  /** Answers of user codecs that ran on the page, and were not posted yet. */
  readonly answers: CodecAnswer[];
  /** Set when all supplies have arrived: where the elements may go. */
  target: PartTarget | undefined;
}

/** A stored chunk to change and encode. */
export interface UpdateChunk extends Readonly<Omit<ChunkToEncode, "array">> {
  readonly kind: "update";
  readonly array: BoundArray;
  /** As those of a part. */
  readonly answers: CodecAnswer[];
}

/** A codec to run on its own. The input is the caller's. */
export interface RunCodec {
  readonly kind: "codec";
  readonly codec: CodecWork;
  readonly input: Uint8Array;
}

export type Work = ReadPart | UpdateChunk | RunCodec;

/** How work ended: with a result, unless that went elsewhere, or with its decoder, and why. */
export type End = { result: Updated } | { lost: string };

/** The result of work that is not begun again if its decoder is lost. */
export function resultOf(end: End): Updated {
  if ("lost" in end) throw ReportedError.of("Unsupported", end.lost);
  return end.result;
}

/** Work in a pool. */
export class Task<Kind extends Work = Work> {
  readonly id: number;
  readonly work: Kind;
  readonly priority: number;
  /** Its first message was posted. */
  isBegun = false;
  /** User codecs that are modules run for it at its decoder. */
  isCoding = false;
  isOver = false;
  /** Rejects with a `ReportedError`. */
  readonly ended: Promise<End>;
  settle: (end: End | ReportedError) => void = () => {};

  constructor(id: number, work: Kind, priority: number) {
    this.id = id;
    this.work = work;
    this.priority = priority;
    this.ended = new Promise((resolve, reject) => {
      this.settle = (end) => (end instanceof ReportedError ? reject(end) : resolve(end));
    });
    // A part may fail before its end is awaited. Then the error is handled later or dropped.
    this.ended.catch(() => {});
  }

  /** The array that it is about. */
  get array(): BoundArray | undefined {
    return this.work.kind === "codec" ? undefined : this.work.array;
  }

  get build(): DecodeBuild {
    return this.work.kind === "codec" ? this.work.codec.build : this.work.array.build;
  }

  /** Whether no work is left to post, only the end. */
  get isMereEnd(): boolean {
    const { work } = this;
    if (work.kind === "codec" || work.answers.length > 0) return false;
    return work.kind === "update" ? this.isBegun : work.target !== undefined && work.supplies.length === 0;
  }

  /**
   * The next message, of what has not been posted yet. Adds the buffers to transfer to the list.
   * `copies` is undefined for a decoder on this thread.
   */
  message(copies: CopyMemory | undefined, transfer: ArrayBuffer[]): WorkMessage {
    const { id, work } = this;
    const packed = (bytes: Uint8Array, owned: boolean) => copies?.bytes(bytes, owned, transfer) ?? bytes;
    if (work.kind === "codec")
      return { type: "codec", id, codec: work.codec, input: packed(work.input, false) };
    const first = this.isBegun ? undefined : { array: work.array.id, build: this.build, header: work.header };
    transfer.push(...work.answers.map(({ bytes }) => bytes.buffer));
    const answers = work.answers.splice(0);
    if (work.kind === "update") {
      const packedOf = ({ bytes, ours }: OwnedBytes) => packed(bytes, ours);
      const old = first && work.old && packedOf(work.old);
      const begin = first && { ...first, old, elements: packedOf(work.elements) };
      return { type: "update", id, begin, answers };
    }
    const supplies = work.supplies.splice(0).map((supply) => copies?.supply(supply, transfer) ?? supply);
    const { shared, reduction, take } = work.target ?? {};
    const end = work.target && (copies ? { reduction, shared } : { reduction, take });
    const spare = copies && end && !reduction && !shared ? takeSpare() : undefined;
    if (spare) transfer.push(spare.buffer);
    return { type: "read", id, begin: first, supplies, answers, end, spare };
  }
}
