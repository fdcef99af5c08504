/**
 * Codecs of this package as objects with `encode` and `decode`, which the engine runs: for the
 * entries of the registry, and for `zarr-wasm/numcodecs`. They do not read or write arrays.
 *
 * zarrita asks synchronously for the chunk after an array-to-array codec, and for the encoded size
 * of codecs of fixed size. The engine cannot be asked then, so both are computed here.
 */

import { chunkOf, isDense, packedChunk, packedMemory, type ZarrChunk } from "../engine/ts/codec/chunk.ts";
import { CodecFault } from "../engine/ts/codec/fault.ts";
import type { ArrayForm, CodecEntry, CodecKind, UserCodec } from "../engine/ts/codec/site.ts";
import { product, stridesOf } from "../engine/ts/elements/typed_arrays.ts";
import { ZarrError } from "../engine/ts/model/errors.ts";
import { exactJson, MARK, TOKENS } from "../engine/ts/model/json.ts";
import { viewBytes } from "../engine/ts/model/memory.ts";
import { integerOf, typeOfView } from "../engine/ts/model/number_types.ts";
import { once } from "../engine/ts/model/once.ts";
import { isArrayBuffer } from "../engine/ts/model/realms.ts";
import { newDecoder, newEncoder } from "../engine/ts/model/utf8.ts";
import { call } from "../engine/ts/port/engine.ts";
import type { CodecDescription } from "../engine/ts/port/operations.ts";
import { orderOf } from "./node_facts.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Returns bytes that fill their buffer. Cloning a view would clone all of a larger buffer. */
function wholeBytes(data: unknown, codec: string): Uint8Array {
  if (isArrayBuffer(data)) return new Uint8Array(data);
  if (!ArrayBuffer.isView(data)) {
    throw new ZarrError("Argument", `codec ${JSON.stringify(codec)} takes bytes`, {
      codec,
      expected: "a Uint8Array",
      actual: data === null ? "null" : typeof data,
    });
  }
  const bytes = viewBytes(data);
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

/** Codecs that encode objects only. */
const OBJECTS = /json2$|msgpack2$/;

/** Codecs that store the shape at the end of their JSON list. */
const JSON_LIST = /json2$/;

/** The longest text of a shape: 32 dimensions of 20 digits. */
const SHAPE_BYTES = 700;

/** Returns the shape at the end of a JSON list. Undefined if there is none. */
function storedShape(bytes: Uint8Array): number[] | undefined {
  const end = newDecoder().decode(bytes.subarray(-SHAPE_BYTES));
  const lengths = /(\[(?:\s*\d+\s*(?:,\s*\d+\s*)*)?\])\s*\]\s*$/.exec(end)?.[1];
  return lengths === undefined ? undefined : (JSON.parse(lengths) as number[]);
}

/** Returns the data type of a chunk's elements, for a codec that was made without it. */
function typeOfData(data: unknown): string | undefined {
  if (Array.isArray(data)) return "string";
  const { constructor: made, chars } = (data ?? {}) as { constructor?: { name: string }; chars?: number };
  const name = made?.name ?? "";
  const others: Record<string, string> = {
    BoolArray: "bool",
    ByteStringArray: `v2:S${chars}`,
    UnicodeStringArray: `v2:U${chars}`,
  };
  return typeOfView(name) ?? others[name];
}

const isTransposition = (name: string) => name === "transpose";

const isSame = (a: readonly number[], b: readonly number[]) =>
  a.length === b.length && a.every((value, at) => value === b[at]);

/** A codec that the engine runs, with its configuration, for chunks of one data type. */
export class EngineCodec implements UserCodec {
  readonly kind: CodecKind;
  readonly #name: string;
  readonly #configuration: Record<string, unknown>;
  readonly #meta: ChunkMeta;
  readonly #described = new Map<string, Promise<CodecDescription>>();

  constructor(name: string, kind: CodecKind, configuration: Record<string, unknown>, meta: ChunkMeta = {}) {
    this.kind = kind;
    this.#name = name;
    // As in zarrita, numbers without a byte order are little-endian.
    this.#configuration = name === "bytes" ? { endian: "little", ...configuration } : configuration;
    this.#meta = meta;
  }

  /**
   * Encodes bytes, or a chunk `{ data, shape, stride }`. Rejects with an `Argument` error for a
   * chunk that does not fit, and with an `UnsupportedError` for a codec that only decodes.
   */
  // biome-ignore lint/suspicious/noExplicitAny: zarrita's signature; bytes or a chunk
  async encode(data: any): Promise<any> {
    if (this.kind === "bytes_to_bytes") return this.#runBytes(data, true);
    if (isTransposition(this.#name)) return this.#transposed(data);
    const text = this.#textFor(data);
    const { encoder, decoded, encoded } = await this.#describe(text);
    const input = this.#checked(() => packedMemory(decoded, written(decoded, data)));
    const output = await this.#run(text, encoder, input, true);
    return this.kind === "array_to_array" ? chunkLike(data, decoded, chunkOf(encoded, output)) : output;
  }

  /** Decodes bytes, or a chunk. Rejects with a `CodecPipelineError` for corrupt bytes. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  async decode(data: any): Promise<any> {
    if (this.kind === "bytes_to_bytes") return this.#runBytes(data, false);
    if (isTransposition(this.#name)) return this.#restrided(data);
    if (this.kind === "array_to_bytes") return this.#decodeBytes(wholeBytes(data, this.#name));
    const text = this.#textFor(data);
    const { decoder, decoded, encoded } = await this.#describe(text);
    const input = this.#checked(() => packedMemory(encoded, data));
    const chunk = chunkOf(decoded, await this.#run(text, decoder, input, false));
    return chunkLike(data, encoded, chunk);
  }

  async #decodeBytes(input: Uint8Array): Promise<ZarrChunk> {
    const text = this.#textFor(JSON_LIST.test(this.#name) ? { shape: storedShape(input) } : undefined);
    const { decoder, decoded } = await this.#describe(text);
    return read(decoded, chunkOf(decoded, await this.#run(text, decoder, input, false)));
  }

  /** Returns the description of the chunk after the codec, for the next codec of a chain. */
  getEncodedMeta(meta: ChunkMeta): ChunkMeta {
    return encodedMetaOf(this.#name, this.#configuration, meta);
  }

  /** The encoded size in bytes, for a codec whose size does not depend on the content. */
  get computeEncodedSize(): ((decodedSize: number) => number) | undefined {
    return encodedSizeOf(this.#name);
  }

  async #runBytes(data: unknown, encodes: boolean): Promise<Bytes> {
    const text = this.#textFor(undefined);
    const { encoder, decoder } = await this.#describe(text);
    return this.#run(text, encodes ? encoder : decoder, wholeBytes(data, this.#name), encodes);
  }

  /** Reorders the elements in memory. As in zarrita, the shape stays as it was. */
  async #transposed(chunk: ZarrChunk): Promise<ZarrChunk> {
    const { shape } = chunk;
    const stride = stridesOf(shape, orderOf(this.#configuration, shape.length));
    if (isSame(chunk.stride, stride)) return chunk;
    const text = this.#textFor(chunk);
    const { encoder, decoded } = await this.#describe(text);
    const input = this.#checked(() => packedChunk({ ...decoded, shape }, chunk));
    const { data } = chunkOf(decoded, await this.#run(text, encoder, input, true));
    return { data, shape, stride };
  }

  #restrided({ data, shape: encoded }: ZarrChunk): ZarrChunk {
    const shape = this.#meta.shape ?? encoded;
    return { data, shape, stride: stridesOf(shape, orderOf(this.#configuration, shape.length)) };
  }

  /** Returns the engine's description of the codec, for the shape of `meta` or of a chunk. */
  #textFor(chunk: Partial<ZarrChunk> | undefined): string {
    const known = OBJECTS.test(this.#name) ? "v2:object" : typeOfData(chunk?.data);
    const { dataType = known, shape = chunk?.shape, fillValue } = this.#meta;
    return exactJson(
      {
        name: this.#name,
        configuration: this.#configuration,
        dataType,
        shape,
        fillValue,
      },
      "configuration",
    );
  }

  #describe(text: string): Promise<CodecDescription> {
    return once(this.#described, text, () => call("describeCodec", () => ({ text })));
  }

  #run(
    text: string,
    build: CodecDescription["decoder"],
    input: Uint8Array,
    encodes: boolean,
  ): Promise<Bytes> {
    return call("runCodec", () => ({ text, build, encodes, input }));
  }

  #checked<T>(convert: () => T): T {
    return checked(this.#name, convert);
  }
}

/** Replaces the elements of a chunk of JSON texts by their values. */
function read({ type }: ArrayForm, chunk: ZarrChunk): ZarrChunk {
  if (type.kind !== "json") return chunk;
  const decoder = newDecoder();
  const data = (chunk.data as Uint8Array[]).map((text) => valueOfJson(decoder.decode(text)));
  return { ...chunk, data };
}

/** Replaces the elements of a chunk by their JSON texts, for a codec of JSON. */
function written({ type }: ArrayForm, chunk: ZarrChunk): ZarrChunk {
  if (type.kind !== "json" || !Array.isArray(chunk?.data)) return chunk;
  const encoder = newEncoder();
  return { ...chunk, data: chunk.data.map((value) => encoder.encode(jsonOfValue(value))) };
}

/**
 * A result with the shape and the strides of the chunk that it was made from, if the codec changes
 * no shape: its elements are in the same order of memory.
 */
function chunkLike(from: ZarrChunk, { shape }: { shape: number[] }, made: ZarrChunk): ZarrChunk {
  if (!isSame(made.shape, shape) || !isDense(from)) return made;
  return { ...made, shape: [...from.shape], stride: [...from.stride] };
}

/** Returns the registry's entry of a codec of this package. */
export const engineCodecEntry = (name: string, kind: CodecKind): CodecEntry => ({
  kind,
  fromConfig: (configuration: Record<string, unknown> | undefined, meta?: ChunkMeta) =>
    new EngineCodec(name, kind, configuration ?? {}, meta),
});

/** zarrita's description of a chunk. */
export interface ChunkMeta {
  dataType?: string;
  /** In elements. */
  shape?: number[];
  fillValue?: unknown;
  codecs?: unknown;
}

type Configuration = Record<string, unknown>;

/** Returns the name of a data type in v3, for one of NumPy. */
function typeOfNumpy(dtype: string): string {
  const [, code = "", size = ""] = /^[<>|=]?([a-zA-Z])(\d*)$/.exec(dtype) ?? [];
  const kinds: Record<string, string> = { i: "int", u: "uint", f: "float", c: "complex" };
  const kind = kinds[code];
  if (code === "b" || code === "?") return "bool";
  return kind === undefined || size === "" ? dtype : `${kind}${8 * Number(size)}`;
}

function typeAfter(name: string, configuration: Configuration): string | undefined {
  const { data_type: dataType, encode_dtype: encodeType, astype, dtype } = configuration;
  const after = /cast_value$/.test(name) ? dataType : (encodeType ?? astype ?? dtype);
  return typeof after === "string" ? typeOfNumpy(after) : undefined;
}

/**
 * Returns the shape after `reshape`: sizes, products of dimensions, and -1 for the remaining
 * elements.
 */
function reshaped(shape: number[], lengths: unknown): number[] {
  if (!Array.isArray(lengths)) return shape;
  const known = lengths.map((length: number | number[]) =>
    Array.isArray(length) ? product(length.map((axis) => shape[axis] ?? 0)) : length,
  );
  const others = product(known.filter((length) => length >= 0));
  return known.map((length) => (length < 0 ? product(shape) / others : length));
}

/**
 * Returns the number that `categorize` stores for a string: the last of equal labels counts, as in
 * numcodecs.
 */
const categoryOf = (labels: unknown, text: unknown): number =>
  Array.isArray(labels) ? labels.lastIndexOf(text) + 1 : 0;

/**
 * Returns the fill value as an element of another data type. Undefined if it is not exact there.
 */
function fillAs(dataType: string, fill: unknown): unknown {
  if (typeof fill !== "number" && typeof fill !== "bigint") return undefined;
  if (integerOf(dataType)?.bits === 64) {
    return typeof fill === "bigint" || Number.isSafeInteger(fill) ? BigInt(fill) : undefined;
  }
  const number = Number(fill);
  return dataType === "float64" || Number.isSafeInteger(number) ? number : undefined;
}

/** Returns the description of the chunk after a codec has encoded it. */
export function encodedMetaOf(name: string, configuration: Configuration, meta: ChunkMeta): ChunkMeta {
  const { shape = [], fillValue } = meta;
  switch (name.replace(/^numcodecs\./, "")) {
    case "transpose":
      return { ...meta, shape: orderOf(configuration, shape.length).map((axis) => shape[axis] ?? 0) };
    case "zarrs.squeeze":
      return { ...meta, shape: shape.filter((length) => length !== 1) };
    case "packbits":
      return { ...meta, dataType: "uint8", shape: [1 + Math.ceil(product(shape) / 8)], fillValue: 0 };
    case "reshape":
      return { ...meta, shape: reshaped(shape, configuration.shape) };
    case "categorize": {
      const dataType = typeOfNumpy(String(configuration.astype ?? "|u1"));
      return { ...meta, dataType, fillValue: fillAs(dataType, categoryOf(configuration.labels, fillValue)) };
    }
    default: {
      const dataType = typeAfter(name, configuration);
      if (dataType === undefined || dataType === meta.dataType) return meta;
      return { ...meta, dataType, fillValue: fillAs(dataType, fillValue) ?? null };
    }
  }
}

/** Codecs that append a checksum of four bytes. */
const CHECKSUMS = /^(numcodecs\.)?(crc32c?|adler32|fletcher32|jenkins_lookup3)$/;
/** Codecs that change no size. */
const SAME_SIZE = /^(bytes|endian|(numcodecs\.)?shuffle)$/;

/** Returns the function from decoded to encoded sizes in bytes. Undefined if the size varies. */
export function encodedSizeOf(name: string): ((decodedSize: number) => number) | undefined {
  if (CHECKSUMS.test(name)) return (size) => size + 4;
  return SAME_SIZE.test(name) ? (size) => size : undefined;
}

const unmarked = (_: string, value: unknown) =>
  typeof value === "string" && value.startsWith(MARK) ? (TOKENS[value.slice(1)] ?? value) : value;

/** The value of a JSON text. */
export function valueOfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Strings stay as they are. Outside of them, a token becomes a marked string.
    const marked = text.replaceAll(/"(?:[^"\\]|\\.)*"?|-?Infinity|NaN/gs, (token) =>
      token.startsWith('"') ? token : `"\\u0000${token}"`,
    );
    return JSON.parse(marked, unmarked);
  }
}

/** The JSON text of a value. Bigints are integers. */
export function jsonOfValue(value: unknown): string {
  const marked = JSON.stringify(value, (_, inner) => {
    const isToken = typeof inner === "number" && !Number.isFinite(inner);
    return isToken || typeof inner === "bigint" ? `${MARK}${inner}` : inner;
  });
  return (marked ?? "null").replaceAll(/"\\u0000(-?Infinity|NaN|-?\d+)"/g, "$1");
}
