/**
 * One wasm instance that only decodes and encodes, or decompresses another build. It is called with
 * plain bytes (`src/engine/rust/js/decode_calls.rs`), without wasm-bindgen's glue and without
 * imports. It runs in a worker, or on the engine's thread if there are none.
 */

import { DECODE_CALLS, type DecodeCalls } from "../../../../contract/contract.ts";
import { type CodecAnswer, type CodecRequest, readRequests } from "../../codec/site.ts";
import { newDecoder, newEncoder } from "../../model/utf8.ts";
import { type Status, WasmModule } from "../wasm_module.ts";
import type { CodecWork, Supply, Update, Updated } from "./messages.ts";
import { takeSpare } from "./part_memory.ts";

const NO_BYTES = new Uint8Array(0);

const ignore = () => {};

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

/** What to store, of the result of an update. */
function updated(result: Uint8Array, status: Status): Updated {
  if (status === "same") return undefined;
  return status === "empty" ? null : copyOf(result);
}

export class DecodeHost {
  readonly #wasm: WasmModule<DecodeCalls>;

  private constructor(wasm: WasmModule<DecodeCalls>) {
    this.#wasm = wasm;
  }

  static async start(module: WebAssembly.Module): Promise<DecodeHost> {
    const instance = await WasmModule.instance(module);
    return new DecodeHost(new WasmModule(instance, "decode_call", DECODE_CALLS));
  }

  /** Size in bytes of linear memory, which never shrinks. */
  get memoryBytes(): number {
    return this.#wasm.memoryBytes;
  }

  bind(array: number, document: string, users = ""): void {
    const [text, own] = [newEncoder().encode(document), newEncoder().encode(users)];
    this.#wasm.call("bind", { words: [array], blocks: [text, own] }, ignore);
  }

  unbind(array: number): void {
    this.#wasm.call("unbind", { words: [array] }, ignore);
  }

  begin(part: number, array: number, header: Uint32Array): void {
    this.#wasm.call("begin", { words: [part, array], table: header }, ignore);
  }

  supply(part: number, { table, buffers, ends }: Supply): void {
    this.#wasm.call("supply", { words: [part], table, blocks: buffers, ends }, ignore);
  }

  /** Requests to the user's codecs for a part, each once, and whether it waits for answers. */
  requests(part: number): { requests: CodecRequest[]; isWaiting: boolean } {
    return this.#wasm.call("requests", { words: [part] }, (result, status) => ({
      requests: readRequests(result),
      isWaiting: status === "waiting",
    }));
  }

  /** Passes in the answer of a user's codec. */
  answer(part: number, { id, bytes }: CodecAnswer): void {
    this.#wasm.call("answer", { words: [part, id], blocks: [bytes] }, ignore);
  }

  /** Continues a part after answers. */
  resume(part: number): void {
    this.#wasm.call("resume", { words: [part] }, ignore);
  }

  /** Ends a part. Returns what `take` makes of its elements, which are in linear memory. */
  finish<Taken>(part: number, take: (elements: Uint8Array) => Taken): Taken {
    return this.#wasm.call("finish", { words: [part] }, take);
  }

  /** Ends an update that waited. */
  finishUpdate(part: number): Updated {
    return this.#wasm.call("finish", { words: [part] }, updated);
  }

  cancel(part: number): void {
    this.#wasm.call("cancel", { words: [part] }, ignore);
  }

  /** Updates a stored chunk. `"waiting"` if user codecs must run first. */
  update(part: number, { array, header, old, elements }: Update): Updated | "waiting" {
    const words: DecodeCalls["update"]["words"] = [part, array, old ? 1 : 0];
    const blocks: DecodeCalls["update"]["blocks"] = [old ?? NO_BYTES, elements];
    return this.#wasm.call("update", { words, table: header, blocks }, (result, status) =>
      status === "waiting" ? status : updated(result, status),
    );
  }

  /** Runs a codec on its own and returns its output. */
  runCodec({ text, encodes }: CodecWork, input: Uint8Array): Uint8Array<ArrayBuffer> {
    const blocks: DecodeCalls["runCodec"]["blocks"] = [newEncoder().encode(text), input];
    return this.#wasm.call("runCodec", { words: [encodes ? 1 : 0], blocks }, copyOf);
  }

  /** Decompresses a build of the package: a Zstandard frame with the prefix. */
  unpack(frame: Uint8Array, prefix: Uint8Array): Uint8Array<ArrayBuffer> {
    return this.#wasm.bytes("unpack", { blocks: [frame, prefix] });
  }

  /** The warnings about chunks decoded since the last call. */
  takeWarnings(): string[] {
    return this.#wasm.call("warnings", {}, (result) =>
      result.length === 0 ? [] : newDecoder().decode(result).split("\n"),
    );
  }

  /** The message of the panic hook. Memory can still be read after a trap. */
  panicMessage(): string {
    return this.#wasm.resultText();
  }
}
