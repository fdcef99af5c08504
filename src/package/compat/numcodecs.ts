/**
 * The codecs of numcodecs.js, with its names, arguments and defaults. The engine runs them, so
 * `encode` and `decode` are asynchronous for every codec. Arguments are checked as in numcodecs.js.
 */

import { EngineCodec } from "../../api/engine_codec.ts";
import { refuse } from "../../engine/ts/model/argument.ts";
import { findable, worksBehindProxies } from "../../engine/ts/model/proxies.ts";

/** A codec from bytes to bytes. */
export interface Codec {
  /** Encodes bytes. */
  encode(data: Uint8Array): Promise<Uint8Array>;
  /**
   * Decodes bytes, whose decoded length need not be known. With `out`, writes them to its beginning
   * and returns it; a `RangeError` if it is too short.
   */
  decode(data: Uint8Array, out?: Uint8Array): Promise<Uint8Array>;
}

/** A class of codecs. */
export interface CodecConstructor<Config> {
  /** Makes a codec from numcodecs' configuration. */
  fromConfig(config: Config & { id?: string }): Codec;
  /** Its id in metadata. */
  codecId: string;
}

function check(isValid: boolean, what: string, expected: string, actual: unknown): void {
  if (!isValid) refuse(`${what} is invalid`, expected, actual);
}

const isWithin = (value: number, lowest: number, highest: number) => !(value < lowest || value > highest);

/** Runs a codec in the engine: by its id, with its configuration for the engine. */
abstract class BytesCodec implements Codec {
  readonly #engine: EngineCodec;

  constructor(id: string, configuration: Record<string, unknown>) {
    findable(this);
    this.#engine = new EngineCodec(id, "bytes_to_bytes", configuration);
  }

  /**
   * Encodes bytes.
   *
   * @param data The bytes.
   */
  encode(data: Uint8Array): Promise<Uint8Array> {
    return this.#engine.encode(data);
  }

  /**
   * Decodes bytes, whose decoded length need not be known.
   *
   * @param data What `encode` has returned.
   * @param out Memory for the result, which is written to its beginning. Default: new memory.
   * @returns the decoded bytes; `out`, if it is given.
   * @throws a `RangeError` if `out` is too short.
   * @throws a `CodecPipelineError` for bytes that cannot be decoded.
   */
  async decode(data: Uint8Array, out?: Uint8Array): Promise<Uint8Array> {
    const decoded: Uint8Array = await this.#engine.decode(data);
    if (!out) return decoded;
    out.set(decoded);
    return out;
  }
}
worksBehindProxies(BytesCodec);

/** The configuration of `Blosc`. */
export interface BloscConfig {
  /**
   * Size of a block; 0 lets the compressor choose. Default: 0.
   *
   * @unit bytes
   */
  blocksize?: number;
  /** The level of compression, from 0 to 9. Default: 5. */
  clevel?: number;
  /**
   * The compressor: `blosclz`, `lz4`, `lz4hc`, `snappy`, `zlib` or `zstd`. Default: `lz4`.
   */
  cname?: string;
  /** What is shuffled: 0 nothing, 1 bytes, 2 bits, −1 by the size of an element. Default: 1. */
  shuffle?: number;
}

const COMPRESSORS = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"];

/** Blosc: blocks of shuffled bytes, compressed by one of several compressors. */
export class Blosc extends BytesCodec {
  /** Its id in metadata. */
  static codecId = "blosc";
  /** The names of the compressors. */
  static COMPRESSORS = [...COMPRESSORS];
  /** The value of `shuffle` that shuffles nothing. */
  static NOSHUFFLE = 0;
  /** The value of `shuffle` that shuffles bytes. */
  static SHUFFLE = 1;
  /** The value of `shuffle` that shuffles bits. */
  static BITSHUFFLE = 2;
  /** The value of `shuffle` that shuffles bits of elements of one byte, and bytes of others. */
  static AUTOSHUFFLE = -1;
  /** The level of compression. */
  readonly clevel: number;
  /** The compressor. */
  readonly cname: string;
  /** What is shuffled. */
  readonly shuffle: number;
  /** Size of a block in bytes; 0 lets the compressor choose. */
  readonly blocksize: number;

  /**
   * @param clevel The level of compression, from 0 to 9. Default: 5.
   * @param cname The compressor. Default: `lz4`.
   * @param shuffle What is shuffled. Default: 1, bytes.
   * @param blocksize Size of a block in bytes; 0 lets the compressor choose. Default: 0.
   * @throws an `Argument` error for other values.
   */
  constructor(clevel = 5, cname = "lz4", shuffle = 1, blocksize = 0) {
    super("blosc", { clevel, cname, shuffle, blocksize });
    check(isWithin(clevel, 0, 9), "the compression level", "0 to 9", clevel);
    check(COMPRESSORS.includes(cname), "the compressor", COMPRESSORS.join(", "), cname);
    check(isWithin(shuffle, -1, 2), "shuffle", "-1, 0, 1 or 2", shuffle);
    this.clevel = clevel;
    this.cname = cname;
    this.shuffle = shuffle;
    this.blocksize = blocksize;
  }

  /** Makes a codec from numcodecs' configuration. */
  static fromConfig({ blocksize, clevel, cname, shuffle }: BloscConfig): Blosc {
    return new Blosc(clevel, cname, shuffle, blocksize);
  }
}

/** The configuration of `GZip`, `Zlib` and `Zstd`. */
export interface LevelConfig {
  /** The level of compression. Default: 1. */
  level?: number;
}

/** A codec with a level of compression. `inEngine` is the engine's level, if it has others. */
abstract class LevelCodec extends BytesCodec {
  /** The level of compression. */
  readonly level: number;

  constructor(id: string, level: number, inEngine = level) {
    super(id, { level: inEngine });
    this.level = level;
  }
}

/** gzip. Decodes files of several members too. */
export class GZip extends LevelCodec {
  /** Its id in metadata. */
  static codecId = "gzip";

  /**
   * @param level The level of compression, from 0 to 9. Default: 1.
   * @throws an `Argument` error for other levels.
   */
  constructor(level = 1) {
    super("gzip", level);
    check(isWithin(level, 0, 9), "the gzip compression level", "0 to 9", level);
  }

  /** Makes a codec from numcodecs' configuration. */
  static fromConfig({ level }: LevelConfig): GZip {
    return new GZip(level);
  }
}

/** zlib. */
export class Zlib extends LevelCodec {
  /** Its id in metadata. */
  static codecId = "zlib";

  /**
   * @param level The level of compression, from 0 to 9; −1 is the library's own. Default: 1.
   * @throws an `Argument` error for other levels.
   */
  constructor(level = 1) {
    super("zlib", level);
    check(isWithin(level, -1, 9), "the zlib compression level", "-1 to 9", level);
  }

  /** Makes a codec from numcodecs' configuration. */
  static fromConfig({ level }: LevelConfig): Zlib {
    return new Zlib(level);
  }
}

/** The configuration of `LZ4`. */
export interface LZ4Config {
  /** The acceleration, which changes no byte here. Default: 1. */
  acceleration?: number;
}

const DEFAULT_ACCELERATION = 1;
const MAX_BUFFER_SIZE = 0x7e000000;

/** LZ4 after the decoded length, as numcodecs writes it. The acceleration changes no byte here. */
export class LZ4 extends BytesCodec {
  /** Its id in metadata. */
  static codecId = "lz4";
  /** The default acceleration. */
  static DEFAULT_ACCELERATION = DEFAULT_ACCELERATION;
  /** The largest size that can be encoded, in bytes. */
  static max_buffer_size = MAX_BUFFER_SIZE;
  /** The largest size that can be encoded, in bytes. */
  readonly max_buffer_size = MAX_BUFFER_SIZE;
  /** The acceleration. */
  readonly acceleration: number;

  /**
   * @param acceleration The acceleration, which changes no byte here. Default: 1.
   * @throws an `Argument` error for what is not an integer.
   */
  constructor(acceleration = DEFAULT_ACCELERATION) {
    const used = acceleration <= 0 ? DEFAULT_ACCELERATION : acceleration;
    super("lz4", { acceleration: used });
    check(Number.isInteger(acceleration), "the acceleration", "an integer", acceleration);
    this.acceleration = used;
  }

  /** Makes a codec from numcodecs' configuration. */
  static fromConfig({ acceleration }: LZ4Config): LZ4 {
    return new LZ4(acceleration);
  }
}

const DEFAULT_CLEVEL = 1;
const MAX_CLEVEL = 22;

/** Zstandard. Decodes several frames too, also without a content size. */
export class Zstd extends LevelCodec {
  /** Its id in metadata. */
  static codecId = "zstd";
  /** The default level. */
  static DEFAULT_CLEVEL = DEFAULT_CLEVEL;
  /** The highest level. */
  static MAX_CLEVEL = MAX_CLEVEL;

  /**
   * @param level The level of compression. Up to 0 it is 1, and above 22 it is 22. Default: 1.
   * @throws an `Argument` error for what is not an integer.
   */
  constructor(level = DEFAULT_CLEVEL) {
    super("zstd", level, level <= 0 ? DEFAULT_CLEVEL : Math.min(level, MAX_CLEVEL));
    check(Number.isInteger(level), "the zstd compression level", "an integer", level);
  }

  /** Makes a codec from numcodecs' configuration. */
  static fromConfig({ level }: LevelConfig): Zstd {
    return new Zstd(level);
  }
}
