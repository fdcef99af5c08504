/**
 * The codecs of numcodecs.js, with its names, arguments and defaults. The engine runs them, so
 * `encode` and `decode` are asynchronous for every codec. Arguments are checked as in numcodecs.js.
 */

import { EngineCodec } from "../../api/engine_codec.ts";
import { refuse } from "../../engine/ts/model/argument.ts";
import { findable, worksBehindProxies } from "../../engine/ts/model/proxies.ts";

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

/** Runs a codec in the engine: by its id, with its configuration for the engine. */
abstract class BytesCodec implements Codec {
  readonly #engine: EngineCodec;

  constructor(id: string, configuration: Record<string, unknown>) {
    findable(this);
    this.#engine = new EngineCodec(id, "bytes_to_bytes", configuration);
  }

  encode(data: Uint8Array): Promise<Uint8Array> {
    return this.#engine.encode(data);
  }

  async decode(data: Uint8Array, out?: Uint8Array): Promise<Uint8Array> {
    const decoded: Uint8Array = await this.#engine.decode(data);
    if (!out) return decoded;
    out.set(decoded);
    return out;
  }
}
worksBehindProxies(BytesCodec);

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
    super("blosc", { clevel, cname, shuffle, blocksize });
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
}

export interface LevelConfig {
  level?: number;
}

/** A codec with a level of compression. `inEngine` is the engine's level, if it has others. */
abstract class LevelCodec extends BytesCodec {
  readonly level: number;

  constructor(id: string, level: number, inEngine = level) {
    super(id, { level: inEngine });
    this.level = level;
  }
}

/** gzip. Decodes files of several members too. */
export class GZip extends LevelCodec {
  static codecId = "gzip";

  constructor(level = 1) {
    super("gzip", level);
    check(isWithin(level, 0, 9), "the gzip compression level", "0 to 9", level);
  }

  static fromConfig({ level }: LevelConfig): GZip {
    return new GZip(level);
  }
}

export class Zlib extends LevelCodec {
  static codecId = "zlib";

  /** Level -1 is the library's default. */
  constructor(level = 1) {
    super("zlib", level);
    check(isWithin(level, -1, 9), "the zlib compression level", "-1 to 9", level);
  }

  static fromConfig({ level }: LevelConfig): Zlib {
    return new Zlib(level);
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
    const used = acceleration <= 0 ? DEFAULT_ACCELERATION : acceleration;
    super("lz4", { acceleration: used });
    check(Number.isInteger(acceleration), "the acceleration", "an integer", acceleration);
    this.acceleration = used;
  }

  static fromConfig({ acceleration }: LZ4Config): LZ4 {
    return new LZ4(acceleration);
  }
}

const DEFAULT_CLEVEL = 1;
const MAX_CLEVEL = 22;

/** Decodes several frames too, also without a content size. */
export class Zstd extends LevelCodec {
  static codecId = "zstd";
  static DEFAULT_CLEVEL = DEFAULT_CLEVEL;
  static MAX_CLEVEL = MAX_CLEVEL;

  /** Encoding uses level 1 for levels up to 0, and 22 for higher ones. */
  constructor(level = DEFAULT_CLEVEL) {
    super("zstd", level, level <= 0 ? DEFAULT_CLEVEL : Math.min(level, MAX_CLEVEL));
    check(Number.isInteger(level), "the zstd compression level", "an integer", level);
  }

  static fromConfig({ level }: LevelConfig): Zstd {
    return new Zstd(level);
  }
}
