/**
 * Codecs of this package as objects with `encode` and `decode`, which the engine runs: for the
 * entries of the registry, and for `zarr-wasm/numcodecs`. They do not read or write arrays.
 */
import { chunkOf, packedChunk } from "../codec/chunk.ts";
import type { CodecEntry, CodecKind, UserCodec } from "../codec/entry.ts";
import { CodecFault } from "../codec/fault.ts";
import { ZarrError } from "../model/errors.ts";
import { exactJson } from "../model/exact_json.ts";
import { call } from "../port/engine.ts";
import type { CodecDescription } from "../port/operations.ts";
import { type ChunkMeta, encodedMetaOf, encodedSizeOf } from "./encoded_meta.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Whole bytes. Cloning a view of a larger buffer would clone all of that buffer. */
function wholeBytes(data: unknown, codec: string): Uint8Array {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (!ArrayBuffer.isView(data)) {
    throw new ZarrError("Argument", `codec ${JSON.stringify(codec)} takes bytes`, {
      codec,
      expected: "a Uint8Array",
      actual: data === null ? "null" : typeof data,
    });
  }
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}

/**
 * Converts a chunk with `convert`. A chunk that does not fit the codec is an `Argument` error.
 */
function checked<T>(codec: string, convert: () => T): T {
  try {
    return convert();
  } catch (error) {
    if (!(error instanceof CodecFault)) throw error;
    const { expected, actual } = error;
    const message = `the chunk does not fit codec ${JSON.stringify(codec)}`;
    throw new ZarrError("Argument", message, { codec, expected, actual });
  }
}

/** A codec that the engine runs, with its configuration, for one shape and data type. */
export class EngineCodec implements UserCodec {
  readonly kind: CodecKind;
  readonly #name: string;
  readonly #configuration: Record<string, unknown>;
  readonly #text: string;
  #description: Promise<CodecDescription> | undefined;

  constructor(name: string, kind: CodecKind, configuration: Record<string, unknown>, meta: ChunkMeta = {}) {
    this.kind = kind;
    this.#name = name;
    this.#configuration = configuration;
    const { dataType, shape, fillValue } = meta;
    this.#text = exactJson({ name, configuration, dataType, shape, fillValue });
  }

  /**
   * Encodes bytes, or a chunk `{ data, shape, stride }`. Rejects with an `Argument` error for a
   * chunk that does not fit, and with an `UnsupportedError` for a codec that only decodes.
   */
  // biome-ignore lint/suspicious/noExplicitAny: zarrita's signature; bytes or a chunk
  async encode(data: any): Promise<any> {
    const { encoder, decoded, encoded } = await this.#described();
    const input =
      this.kind === "bytes_to_bytes"
        ? wholeBytes(data, this.#name)
        : checked(this.#name, () => packedChunk(decoded, data));
    const output = await this.#run(encoder, true, input);
    return this.kind === "array_to_array" ? chunkOf(encoded, output) : output;
  }

  /** Decodes bytes, or a chunk. Rejects with a `CodecPipelineError` for corrupt bytes. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  async decode(data: any): Promise<any> {
    const { decoder, decoded, encoded } = await this.#described();
    const input =
      this.kind === "array_to_array"
        ? checked(this.#name, () => packedChunk(encoded, data))
        : wholeBytes(data, this.#name);
    const output = await this.#run(decoder, false, input);
    return this.kind === "bytes_to_bytes" ? output : chunkOf(decoded, output);
  }

  /** The description of the chunk after the codec, for the next codec of a chain. */
  getEncodedMeta(meta: ChunkMeta): ChunkMeta {
    return encodedMetaOf(this.#name, this.#configuration, meta);
  }

  /** The encoded size in bytes, for a codec whose size does not depend on the content. */
  get computeEncodedSize(): ((decodedSize: number) => number) | undefined {
    return encodedSizeOf(this.#name);
  }

  #described(): Promise<CodecDescription> {
    this.#description ??= call("describeCodec", () => ({ text: this.#text })).catch((error) => {
      this.#description = undefined;
      throw error;
    });
    return this.#description;
  }

  #run(build: CodecDescription["decoder"], encodes: boolean, input: Uint8Array): Promise<Bytes> {
    return call("runCodec", () => ({ text: this.#text, build, encodes, input }));
  }
}

/** The registry's entry of a codec of this package. */
export const engineCodecEntry = (name: string, kind: CodecKind): CodecEntry => ({
  kind,
  fromConfig: (configuration: Record<string, unknown> | undefined, meta?: ChunkMeta) =>
    new EngineCodec(name, kind, configuration ?? {}, meta),
});
