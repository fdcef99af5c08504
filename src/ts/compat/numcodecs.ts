/**
 * The codecs of numcodecs.js, with its names, arguments and defaults. The engine runs them, so
 * `encode` and `decode` are asynchronous for every codec. Arguments are checked as in numcodecs.js.
 */
import { EngineCodec } from "../api/engine_codec.ts";
import { refuse } from "../model/argument.ts";

/** A codec from bytes to bytes. */
export interface Codec {
  encode(data: Uint8Array): Promise<Uint8Array>;
  /**
   * Decodes bytes, whose decoded length need not be known. With `out`, writes them to its beginning
   * and returns it; a `RangeError` if it is too short.
   */
  decode(data: Uint8Array, out?: Uint8Array): Promise<Uint8Array>;
}

/** A class of codecs. */
export interface CodecConstructor<Config> {
  fromConfig(config: Config & { id?: string }): Codec;
  codecId: string;
}

function check(isValid: boolean, what: string, expected: string, actual: unknown): void {
  if (!isValid) refuse(`${what} is invalid`, expected, actual);
}

const isWithin = (value: number, lowest: number, highest: number) => !(value < lowest || value > highest);

/** Runs a codec in the engine. */
abstract class BytesCodec implements Codec {
  #engine: EngineCodec | undefined;

  /** The codec's id, and its configuration for the engine. */
  protected abstract configured(): [id: string, configuration: Record<string, unknown>];

  #codec(): EngineCodec {
    const [id, configuration] = this.configured();
    this.#engine ??= new EngineCodec(id, "bytes_to_bytes", configuration);
    return this.#engine;
  }

  encode(data: Uint8Array): Promise<Uint8Array> {
    return this.#codec().encode(data);
  }

  async decode(data: Uint8Array, out?: Uint8Array): Promise<Uint8Array> {
    const decoded: Uint8Array = await this.#codec().decode(data);
    if (!out) return decoded;
    out.set(decoded);
    return out;
  }
}

export interface BloscConfig {
  /** Size of a block in bytes; 0 lets the compressor choose. */
  blocksize?: number;
  clevel?: number;
  cname?: string;
  /** 0: none, 1: bytes, 2: bits, -1: chosen by the size of an element. */
  shuffle?: number;
}

const COMPRESSORS = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"];

export class Blosc extends BytesCodec {
  static codecId = "blosc";
  static COMPRESSORS = [...COMPRESSORS];
  static NOSHUFFLE = 0;
  static SHUFFLE = 1;
  static BITSHUFFLE = 2;
  static AUTOSHUFFLE = -1;
  readonly clevel: number;
  readonly cname: string;
  readonly shuffle: number;
  readonly blocksize: number;

  constructor(clevel = 5, cname = "lz4", shuffle = 1, blocksize = 0) {
    super();
    check(isWithin(clevel, 0, 9), "the compression level", "0 to 9", clevel);
    check(COMPRESSORS.includes(cname), "the compressor", COMPRESSORS.join(", "), cname);
    check(isWithin(shuffle, -1, 2), "shuffle", "-1, 0, 1 or 2", shuffle);
    this.clevel = clevel;
    this.cname = cname;
    this.shuffle = shuffle;
    this.blocksize = blocksize;
  }

  static fromConfig({ blocksize, clevel, cname, shuffle }: BloscConfig): Blosc {
    return new Blosc(clevel, cname, shuffle, blocksize);
  }

  protected configured(): [string, Record<string, unknown>] {
    const { clevel, cname, shuffle, blocksize } = this;
    return ["blosc", { clevel, cname, shuffle, blocksize }];
  }
}

export interface LevelConfig {
  level?: number;
}

/** gzip. Decodes files of several members too. */
export class GZip extends BytesCodec {
  static codecId = "gzip";
  readonly level: number;

  constructor(level = 1) {
    super();
    check(isWithin(level, 0, 9), "the gzip compression level", "0 to 9", level);
    this.level = level;
  }

  static fromConfig({ level }: LevelConfig): GZip {
    return new GZip(level);
  }

  protected configured(): [string, Record<string, unknown>] {
    return ["gzip", { level: this.level }];
  }
}

export class Zlib extends BytesCodec {
  static codecId = "zlib";
  readonly level: number;

  /** Level -1 is the library's default. */
  constructor(level = 1) {
    super();
    check(isWithin(level, -1, 9), "the zlib compression level", "-1 to 9", level);
    this.level = level;
  }

  static fromConfig({ level }: LevelConfig): Zlib {
    return new Zlib(level);
  }

  protected configured(): [string, Record<string, unknown>] {
    return ["zlib", { level: this.level }];
  }
}

export interface LZ4Config {
  acceleration?: number;
}

const DEFAULT_ACCELERATION = 1;
const MAX_BUFFER_SIZE = 0x7e000000;

/** LZ4 after the decoded length, as numcodecs writes it. The acceleration changes no byte here. */
export class LZ4 extends BytesCodec {
  static codecId = "lz4";
  static DEFAULT_ACCELERATION = DEFAULT_ACCELERATION;
  static max_buffer_size = MAX_BUFFER_SIZE;
  readonly max_buffer_size = MAX_BUFFER_SIZE;
  readonly acceleration: number;

  constructor(acceleration = DEFAULT_ACCELERATION) {
    super();
    check(Number.isInteger(acceleration), "the acceleration", "an integer", acceleration);
    this.acceleration = acceleration <= 0 ? DEFAULT_ACCELERATION : acceleration;
  }

  static fromConfig({ acceleration }: LZ4Config): LZ4 {
    return new LZ4(acceleration);
  }

  protected configured(): [string, Record<string, unknown>] {
    return ["lz4", { acceleration: this.acceleration }];
  }
}

const DEFAULT_CLEVEL = 1;
const MAX_CLEVEL = 22;

/** Decodes several frames too, also without a content size. */
export class Zstd extends BytesCodec {
  static codecId = "zstd";
  static DEFAULT_CLEVEL = DEFAULT_CLEVEL;
  static MAX_CLEVEL = MAX_CLEVEL;
  readonly level: number;

  /** Encoding uses level 1 for levels up to 0, and 22 for higher ones. */
  constructor(level = DEFAULT_CLEVEL) {
    super();
    check(Number.isInteger(level), "the zstd compression level", "an integer", level);
    this.level = level;
  }

  static fromConfig({ level }: LevelConfig): Zstd {
    return new Zstd(level);
  }

  protected configured(): [string, Record<string, unknown>] {
    const level = this.level <= 0 ? DEFAULT_CLEVEL : Math.min(this.level, MAX_CLEVEL);
    return ["zstd", { level }];
  }
}
