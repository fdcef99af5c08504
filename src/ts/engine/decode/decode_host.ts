/**
 * One wasm instance that only decodes and encodes, or decompresses another build. It is called with
 * plain numbers (`src/engine/js/decode_host.rs`), without wasm-bindgen's glue and without imports.
 * It runs in a worker, or on the engine's thread if there are none.
 */

import { type CodecAnswer, type CodecRequest, readRequests } from "../../codec/site.ts";
import { viewBytes } from "../../model/memory.ts";
import { newDecoder, newEncoder } from "../../model/utf8.ts";
import type { CodecWork, Supply, Update, Updated } from "./messages.ts";
import { takeSpare } from "./part_memory.ts";

/** The exports of the module that this file calls. */
interface DecodeExports {
  memory: WebAssembly.Memory;
  zarr_alloc(len: number): number;
  zarr_free(pointer: number, len: number): void;
  zarr_bind(array: number, document: number, len: number, users: number, usersLen: number): number;
  zarr_unbind(array: number): void;
  zarr_begin(part: number, array: number, header: number, words: number): number;
  zarr_supply(part: number, table: number, words: number, buffers: number, count: number): number;
  zarr_requests(part: number): number;
  zarr_answer(part: number, request: number, output: number, len: number): number;
  zarr_resume(part: number): number;
  zarr_is_waiting(part: number): number;
  zarr_finish(part: number): number;
  /** Only in the full build. */
  zarr_update?(
    part: number,
    array: number,
    update: number,
    words: number,
    old: number,
    oldLength: number,
    hasOld: number,
    elements: number,
    elementsLength: number,
  ): number;
  zarr_codec(
    description: number,
    length: number,
    input: number,
    inputLength: number,
    encodes: number,
  ): number;
  zarr_unpack(frame: number, length: number, prefix: number, prefixLength: number): number;
  zarr_cancel(part: number): void;
  zarr_warnings(): number;
  zarr_result_ptr(): number;
  zarr_result_len(): number;
  zarr_release_result(): void;
  zarr_panic_ptr(): number;
  zarr_panic_len(): number;
}

/** The answers to updates without bytes to store. */
const [SAME, EMPTY, WAITING] = [2, 3, 4];

/** An error of the engine: its JSON text, and as its cause what a user's codec threw. */
export class DecodeFailure extends Error {
  readonly report: string;

  constructor(report: string, options?: ErrorOptions) {
    super(report, options);
    this.report = report;
  }
}

type Words = Uint8Array | Uint32Array;

/** Takes the addresses and the lengths in bytes of buffers. */
type WithBuffers = (...places: number[]) => number;

const NO_BYTES = new Uint8Array(0);

/** Converts a pointer: wasm returns it as a signed number. */
const address = (pointer: number) => pointer >>> 0;

/**
 * Copies bytes into memory of an earlier part or into new memory. `new Uint8Array(bytes)` does not
 * clear the new memory first.
 */
export function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const memory = takeSpare(bytes.length);
  if (!memory) return new Uint8Array(bytes);
  memory.set(bytes);
  return memory;
}

/**
 * Stubs for the imports, which decoding never calls. Only the engine's own instance needs
 * wasm-bindgen's glue.
 */
function stubImports(module: WebAssembly.Module): WebAssembly.Imports {
  const imports: Record<string, Record<string, () => never>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = () => {
      throw new Error(`a decoder called ${name}`);
    };
  }
  return imports;
}

export class DecodeHost {
  readonly #wasm: DecodeExports;

  private constructor(wasm: DecodeExports) {
    this.#wasm = wasm;
  }

  static async start(module: WebAssembly.Module): Promise<DecodeHost> {
    const instance = await WebAssembly.instantiate(module, stubImports(module));
    return new DecodeHost(instance.exports as unknown as DecodeExports);
  }

  /** Size in bytes of linear memory, which never shrinks. */
  get memoryBytes(): number {
    return this.#wasm.memory.buffer.byteLength;
  }

  bind(array: number, document: string, users = ""): void {
    const texts = [document, users].map((text) => newEncoder().encode(text));
    this.#call(texts, (text, length, own, ownLength) =>
      this.#wasm.zarr_bind(array, text, length, own, ownLength),
    );
  }

  unbind(array: number): void {
    this.#wasm.zarr_unbind(array);
  }

  begin(part: number, array: number, header: Uint32Array): void {
    this.#call([header], (at) => this.#wasm.zarr_begin(part, array, at, header.length));
  }

  supply(part: number, { table, buffers, ends }: Supply): void {
    const places = this.#place(buffers);
    const [packed = 0] = places;
    const packedPair = (end: number, at: number) => {
      const start = ends?.[at - 1] ?? 0;
      return [packed + start, end - start];
    };
    const pairs = Uint32Array.from(ends ? Array.from(ends, packedPair).flat() : places);
    try {
      this.#call([table, pairs], (tableAt, _, pairsAt) =>
        this.#wasm.zarr_supply(part, tableAt, table.length, pairsAt, pairs.length / 2),
      );
    } finally {
      this.#free(places);
    }
  }

  /** Requests to the user's codecs for a part. Each is returned once. */
  requests(part: number): CodecRequest[] {
    this.#check(this.#wasm.zarr_requests(part));
    return readRequests(this.#takeResult());
  }

  /** Passes in the answer of a user's codec. */
  answer(part: number, { id, bytes }: CodecAnswer): void {
    this.#call([bytes], (at, length) => this.#wasm.zarr_answer(part, id, at, length));
  }

  /** Continues a part after answers. */
  resume(part: number): void {
    this.#check(this.#wasm.zarr_resume(part));
  }

  /** Whether answers of user codecs are missing. */
  isWaiting(part: number): boolean {
    return this.#wasm.zarr_is_waiting(part) !== 0;
  }

  /** Ends a part. Returns what `take` makes of its elements, which are in linear memory. */
  finish<Taken>(part: number, take: (elements: Uint8Array) => Taken): Taken {
    this.#check(this.#wasm.zarr_finish(part));
    return this.#taken(take);
  }

  /** Ends an update that waited. */
  finishUpdate(part: number): Updated {
    return this.#updated(this.#wasm.zarr_finish(part));
  }

  cancel(part: number): void {
    this.#wasm.zarr_cancel(part);
  }

  /** Updates a stored chunk. `"waiting"` if user codecs must run first. */
  update(part: number, { array, header, old, elements }: Update): Updated | "waiting" {
    const { zarr_update } = this.#wasm;
    if (!zarr_update) throw new Error("this build of the engine has no encoders");
    const hasOld = old ? 1 : 0;
    const status = this.#given(
      [header, old ?? NO_BYTES, elements],
      (words, _, oldAt, oldLength, at, length) =>
        zarr_update(part, array, words, header.length, oldAt, oldLength, hasOld, at, length),
    );
    return status === WAITING ? "waiting" : this.#updated(status);
  }

  #updated(status: number): Updated {
    if (status === SAME) return undefined;
    if (status === EMPTY) return null;
    this.#check(status);
    return this.#takeResult();
  }

  /** Runs a codec on its own and returns its output. */
  runCodec({ text, encodes }: CodecWork, input: Uint8Array): Uint8Array<ArrayBuffer> {
    this.#call([newEncoder().encode(text), input], (at, length, inputAt, inputLength) =>
      this.#wasm.zarr_codec(at, length, inputAt, inputLength, encodes ? 1 : 0),
    );
    return this.#takeResult();
  }

  /** Decompresses a build of the package: a Zstandard frame with the prefix. */
  unpack(frame: Uint8Array, prefix: Uint8Array): Uint8Array<ArrayBuffer> {
    this.#call([frame, prefix], (at, length, prefixAt, prefixLength) =>
      this.#wasm.zarr_unpack(at, length, prefixAt, prefixLength),
    );
    return this.#takeResult();
  }

  /** The warnings about chunks decoded since the last call. */
  takeWarnings(): string[] {
    if (this.#wasm.zarr_warnings() === 0) return [];
    return newDecoder().decode(this.#takeResult()).split("\n");
  }

  /** The message of the panic hook. Memory can still be read after a trap. */
  panicMessage(): string {
    const { zarr_panic_ptr, zarr_panic_len, memory } = this.#wasm;
    return newDecoder().decode(new Uint8Array(memory.buffer, address(zarr_panic_ptr()), zarr_panic_len()));
  }

  /**
   * Calls with copies of buffers in linear memory: the address and the length in bytes of each.
   * Returns the status.
   */
  #given(buffers: readonly Words[], call: WithBuffers): number {
    const places = this.#place(buffers);
    const status = call(...places);
    this.#free(places);
    return status;
  }

  /** As `#given`. Throws the error that the status tells. */
  #call(buffers: readonly Words[], call: WithBuffers): void {
    this.#check(this.#given(buffers, call));
  }

  /** Copies buffers into linear memory. Returns the address and the length in bytes of each. */
  #place(buffers: readonly Words[]): number[] {
    return buffers.flatMap((bytes) => {
      const { byteLength } = bytes;
      const pointer = address(this.#wasm.zarr_alloc(byteLength));
      if (pointer === 0) {
        const report = { code: "Limit", message: `out of memory for ${byteLength} bytes while decoding` };
        throw new DecodeFailure(JSON.stringify(report));
      }
      new Uint8Array(this.#wasm.memory.buffer, pointer, byteLength).set(viewBytes(bytes));
      return [pointer, byteLength];
    });
  }

  #free(places: readonly number[]): void {
    for (let at = 0; at < places.length; at += 2)
      this.#wasm.zarr_free(places[at] as number, places[at + 1] as number);
  }

  #check(status: number): void {
    if (status === 0) return;
    const report = this.#takeResult();
    throw new DecodeFailure(newDecoder().decode(report));
  }

  /** The result of the last call, in linear memory. */
  #result(): Uint8Array {
    const { zarr_result_ptr, zarr_result_len, memory } = this.#wasm;
    return new Uint8Array(memory.buffer, address(zarr_result_ptr()), address(zarr_result_len()));
  }

  #taken<Taken>(take: (result: Uint8Array) => Taken): Taken {
    const taken = take(this.#result());
    this.#wasm.zarr_release_result();
    return taken;
  }

  #takeResult(): Uint8Array<ArrayBuffer> {
    return this.#taken(copyOf);
  }
}
