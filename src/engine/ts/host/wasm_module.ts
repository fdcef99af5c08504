/**
 * An instance of a wasm module that has no JavaScript of its own: its calls take and give bytes.
 * The other end is `src/contract/wasm_module.rs`; `contract.ts` has the calls. What they mean is
 * not known here.
 */
import { type ErrorCode, type ErrorRecord, errorRecordShape, STATUSES } from "../../../contract/contract.ts";
import { viewBytes } from "../model/memory.ts";
import { RecordWriter, readRecord } from "../model/records.ts";
import { newDecoder } from "../model/utf8.ts";

export type Status = (typeof STATUSES)[number];

interface Exports {
  memory: WebAssembly.Memory;
  zarr_alloc(len: number): number;
  zarr_result_ptr(): number;
  zarr_result_len(): number;
  zarr_free(): void;
}

type Call = (number: number, request: number, len: number) => number;

/** What a call takes. */
interface Request {
  words?: readonly number[];
  /** The words behind those. */
  table?: Uint32Array;
  blocks?: readonly ArrayBufferView[];
  /** The end of each block, if the blocks are concatenated in a single one. */
  ends?: Uint32Array | undefined;
}

/** What a module, or work of its kind, reported. Its cause is what a user's codec threw. */
export class ReportedError extends Error {
  readonly record: ErrorRecord;

  constructor(record: ErrorRecord) {
    const { message, cause } = record;
    super(message, cause === undefined ? undefined : { cause });
    this.record = record;
  }

  static of(code: ErrorCode, message: string): ReportedError {
    return new ReportedError({ code, message, context: {} });
  }

  /** The record without its cause, for Rust (`reported_error` of `src/engine/rust/js/error.rs`). */
  get recordBytes(): Uint8Array {
    const writer = new RecordWriter([]);
    errorRecordShape.write(writer, { ...this.record, cause: undefined });
    return writer.bytes;
  }
}

/**
 * Stubs for the imports, which no call needs. Only the engine's own instance needs wasm-bindgen's
 * glue.
 */
function stubImports(module: WebAssembly.Module): WebAssembly.Imports {
  const imports: Record<string, Record<string, () => never>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = () => {
      throw new Error(`a wasm module called ${name}`);
    };
  }
  return imports;
}

/** Pointers and lengths come from wasm as signed numbers. */
const unsigned = (number: number) => number >>> 0;

const lengthsOf = ({ blocks = [], ends }: Request): ArrayLike<number> =>
  ends ? ends.map((end, at) => end - (ends[at - 1] ?? 0)) : blocks.map(({ byteLength }) => byteLength);

/** `Calls` says what each call takes, by its name. */
export class WasmModule<Calls extends { [Name in keyof Calls]: Request }> {
  readonly #exports: Exports;
  readonly #call: Call;
  readonly #numbers: Record<keyof Calls, number>;

  /** `name` is the export that takes the calls, and `numbers` are theirs. */
  constructor(instance: WebAssembly.Instance, name: string, numbers: Record<keyof Calls, number>) {
    this.#exports = instance.exports as unknown as Exports;
    this.#call = instance.exports[name] as Call;
    this.#numbers = numbers;
  }

  static async instance(module: WebAssembly.Module): Promise<WebAssembly.Instance> {
    return WebAssembly.instantiate(module, stubImports(module));
  }

  /** Size in bytes of linear memory, which never shrinks. */
  get memoryBytes(): number {
    return this.#exports.memory.buffer.byteLength;
  }

  /**
   * Makes a call. `take` gets its result in linear memory, which is invalid afterwards, and how the
   * call ended. Throws the error that the module reports.
   */
  call<Name extends keyof Calls, T>(
    name: Name,
    request: Calls[Name],
    take: (result: Uint8Array<ArrayBuffer>, status: Exclude<Status, "failed">) => T,
  ): T {
    const [at, len] = this.#write(request);
    const status = STATUSES[this.#call(this.#numbers[name], at, len)];
    try {
      if (status === undefined || status === "failed")
        throw new ReportedError(readRecord(errorRecordShape, this.#result()));
      return take(this.#result(), status);
    } finally {
      this.#exports.zarr_free();
    }
  }

  /** Makes a call. Returns a copy of its result. */
  bytes<Name extends keyof Calls>(name: Name, request: Calls[Name]): Uint8Array<ArrayBuffer> {
    return this.call(name, request, (result) => result.slice());
  }

  /** The result of the last call as text; after a trap it is the message of the panic hook. */
  resultText(): string {
    return newDecoder().decode(this.#result());
  }

  #result(): Uint8Array<ArrayBuffer> {
    const { memory, zarr_result_ptr, zarr_result_len } = this.#exports;
    return new Uint8Array(memory.buffer, unsigned(zarr_result_ptr()), unsigned(zarr_result_len()));
  }

  /** Copies a request into linear memory. The call that receives it frees it. */
  #write(request: Request): [at: number, len: number] {
    const { words = [], table = [], blocks = [] } = request;
    const lengths = lengthsOf(request);
    const head = [words.length + table.length, lengths.length, ...words];
    const start = 4 * (head.length + table.length + lengths.length);
    const len = blocks.reduce((sum, { byteLength }) => sum + byteLength, start);
    const at = unsigned(this.#exports.zarr_alloc(len));
    if (at === 0)
      throw ReportedError.of("Limit", `out of memory for a request of ${len} bytes to a wasm module`);
    const { buffer } = this.#exports.memory;
    const memory = new Uint32Array(buffer, at, start / 4);
    memory.set(head);
    memory.set(table, head.length);
    memory.set(lengths, head.length + table.length);
    let end = at + start;
    for (const block of blocks) {
      new Uint8Array(buffer, end, block.byteLength).set(viewBytes(block));
      end += block.byteLength;
    }
    return [at, len];
  }
}
