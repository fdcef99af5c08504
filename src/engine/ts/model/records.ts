/**
 * How records cross between TypeScript and the engine's wasm: as bytes, field after field
 * (`src/contract/encoding.rs` is the other end). A shape writes and reads the values of one type;
 * `contract.ts` has those of all types that both languages know. Values that JavaScript owns cross
 * beside the bytes, in a list, and records have their index in it.
 */

import { viewBytes } from "./memory.ts";
import type { OwnBytes } from "./own_memory.ts";
import { newDecoder, newEncoder } from "./utf8.ts";

/** Writes and reads the values of a type. */
export interface Shape<T> {
  write(to: RecordWriter, value: T): void;
  read(from: RecordReader): T;
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const encoder = /* @__PURE__ */ lazily(newEncoder);

const MIN_BYTES = 256;

/** Collects the bytes of a record, and the values beside it. */
export class RecordWriter {
  readonly values: unknown[];
  #bytes = new Uint8Array(MIN_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  constructor(values: unknown[]) {
    this.values = values;
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #room(length: number): number {
    const at = this.#length;
    this.#length += length;
    if (this.#length > this.#bytes.length) {
      const bytes = new Uint8Array(2 * this.#length);
      bytes.set(this.#bytes);
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer);
    }
    return at;
  }

  byte(value: number): void {
    this.#bytes[this.#room(1)] = value;
  }

  word(value: number): void {
    const at = this.#room(4);
    this.#view.setUint32(at, value, true);
  }

  bigWord(value: bigint): void {
    const at = this.#room(8);
    this.#view.setBigUint64(at, value, true);
  }

  /** A safe integer as 64 bits. Lists of indices are long, and bigints are slow. */
  integer(value: number): void {
    const at = this.#room(8);
    const high = Math.floor(value / 2 ** 32);
    this.#view.setUint32(at, value - high * 2 ** 32, true);
    this.#view.setInt32(at + 4, high, true);
  }

  float(value: number): void {
    const at = this.#room(8);
    this.#view.setFloat64(at, value, true);
  }

  bytesOf(value: Uint8Array): void {
    this.word(value.length);
    const at = this.#room(value.length);
    this.#bytes.set(value, at);
  }
}

/** Takes a record from its bytes, and the values beside it. */
export class RecordReader {
  readonly values: readonly unknown[];
  readonly #bytes: OwnBytes;
  readonly #view: DataView;
  /** One for each record: Safari's decoders fail after 2 GiB of text. */
  #decoder: TextDecoder | undefined;
  #at = 0;

  constructor(bytes: OwnBytes, values: readonly unknown[]) {
    this.values = values;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  #next(length: number): number {
    const at = this.#at;
    this.#at += length;
    return at;
  }

  byte(): number {
    return this.#view.getUint8(this.#next(1));
  }

  word(): number {
    return this.#view.getUint32(this.#next(4), true);
  }

  bigWord(): bigint {
    return this.#view.getBigUint64(this.#next(8), true);
  }

  float(): number {
    return this.#view.getFloat64(this.#next(8), true);
  }

  text(): string {
    this.#decoder ??= newDecoder({ ignoreBOM: true });
    return this.#decoder.decode(this.view());
  }

  /** A view of the bytes. */
  view(): OwnBytes {
    const length = this.word();
    const at = this.#next(length);
    return this.#bytes.subarray(at, at + length);
  }
}

/** The caller of an operation makes it an `Argument` error. */
const unreadable = (expected: string, value: unknown) =>
  new TypeError(`expected ${expected}, found ${String(value)}`);

/** A number, if it is an integer from `least` to `greatest`. */
function inRange(value: number, least: number, greatest: number): number {
  if (Number.isInteger(value) && value >= least && value <= greatest) return value;
  throw unreadable(`an integer from ${least} to ${greatest}`, value);
}

export const nothing: Shape<undefined> = { write() {}, read: () => undefined };

export const flag: Shape<boolean> = {
  write: (to, value) => to.byte(value ? 1 : 0),
  read: (from) => from.byte() === 1,
};

export const byte: Shape<number> = {
  write: (to, value) => to.byte(inRange(value, 0, 0xff)),
  read: (from) => from.byte(),
};

export const formatVersion = byte as Shape<2 | 3>;

export const word: Shape<number> = {
  write: (to, value) => to.word(inRange(value, 0, 0xffff_ffff)),
  read: (from) => from.word(),
};

export const bigWord: Shape<bigint> = {
  write: (to, value) => to.bigWord(value),
  read: (from) => from.bigWord(),
};

/** A 64-bit integer: a number or a bigint. */
export const integer: Shape<number | bigint> = {
  write(to, value) {
    if (Number.isSafeInteger(value)) return to.integer(value as number);
    if (typeof value !== "bigint" || BigInt.asIntN(64, value) !== value)
      throw unreadable("an integer of 64 bits", value);
    to.bigWord(BigInt.asUintN(64, value));
  },
  read: (from) => BigInt.asIntN(64, from.bigWord()),
};

export const float: Shape<number> = {
  write(to, value) {
    if (typeof value !== "number") throw unreadable("a number", value);
    to.float(value);
  },
  read: (from) => from.float(),
};

/** An integer from 0 to 2^53 − 1. */
export const natural: Shape<number> = {
  write: (to, value) => to.integer(inRange(value, 0, Number.MAX_SAFE_INTEGER)),
  read: (from) => Number(from.bigWord()),
};

export const bytes: Shape<Uint8Array> = {
  write: (to, value) => to.bytesOf(value),
  read: (from) => from.view().slice(),
};

/** Floats as they lie in memory. */
export const floats: Shape<Float64Array> = {
  write: (to, value) => to.bytesOf(viewBytes(value)),
  read: (from) => new Float64Array(from.view().slice().buffer),
};

/** 32-bit numbers as they lie in memory. */
export const words: Shape<Uint32Array> = {
  write: (to, value) => to.bytesOf(viewBytes(value)),
  read: (from) => new Uint32Array(from.view().slice().buffer),
};

export const text: Shape<string> = {
  write(to, value) {
    if (typeof value !== "string") throw unreadable("a text", value);
    to.bytesOf(encoder().encode(value));
  },
  read: (from) => from.text(),
};

/** A value that JavaScript owns. */
export const held: Shape<never> = {
  write: (to, value) => to.word(to.values.push(value) - 1),
  read: (from) => from.values[from.word()] as never,
};

export const optional = <T>(inner: Shape<T>): Shape<T | undefined> => ({
  write(to, value) {
    to.byte(value === undefined || value === null ? 0 : 1);
    if (value !== undefined && value !== null) inner.write(to, value);
  },
  read: (from) => (from.byte() === 0 ? undefined : inner.read(from)),
});

export const list = <T>(entry: Shape<T>): Shape<T[]> => ({
  write(to, values) {
    to.word(values.length);
    for (let at = 0; at < values.length; at += 1) entry.write(to, values[at] as T);
  },
  read: (from) => Array.from({ length: from.word() }, () => entry.read(from)),
});

export const tuple = <T extends unknown[]>(...entries: { [At in keyof T]: Shape<T[At]> }): Shape<T> => ({
  write(to, values) {
    entries.forEach((entry, at) => {
      entry.write(to, values[at]);
    });
  },
  read: (from) => entries.map((entry) => entry.read(from)) as T,
});

/** One of some texts. */
export const texts = <T extends string>(all: readonly T[]): Shape<T> => ({
  write(to, value) {
    const at = all.indexOf(value);
    if (at < 0) throw unreadable(all.map((each) => JSON.stringify(each)).join(", "), value);
    to.byte(at);
  },
  read: (from) => all[from.byte()] as T,
});

/** The shapes of an object's members, which may refer to the object's own. */
type Members<T> = () => { [Name in keyof T]-?: Shape<NonNullable<T[Name]>> | Shape<T[Name]> };

export function record<T extends object>(members: Members<T>): Shape<T> {
  const entries = lazily(() => Object.entries(members()) as [keyof T, Shape<unknown>][]);
  return {
    write(to, value) {
      for (const [name, shape] of entries()) shape.write(to, value[name]);
    },
    read(from) {
      const made = {} as T;
      for (const [name, shape] of entries()) {
        const value = shape.read(from);
        if (value !== undefined) made[name] = value as T[keyof T];
      }
      return made;
    },
  };
}

/** A text, or an object with one member. */
export function union<T>(variants: () => Record<string, Shape<unknown> | undefined>): Shape<T> {
  const entries = lazily(() => Object.entries(variants()));
  return {
    write(to, value) {
      const names: unknown[] = typeof value === "object" ? Object.keys(value as object) : [value];
      const at = entries().findIndex(([name]) => names.includes(name));
      const [name, shape] = entries()[at] ?? [];
      if (name === undefined)
        throw unreadable(
          entries()
            .map(([each]) => each)
            .join(", "),
          value,
        );
      to.byte(at);
      shape?.write(to, (value as Record<string, unknown>)[name]);
    },
    read(from) {
      const [name, shape] = entries()[from.byte()] as [string, Shape<unknown> | undefined];
      return (shape ? { [name]: shape.read(from) } : name) as T;
    },
  };
}

/**
 * What a function makes. Bundlers leave the call out of programs that do not use its value; they
 * write a function that is called in place as its value, which they would keep.
 */
export const table = <T>(make: () => T): T => make();

/** The bytes of a record without values beside it. */
export function recordBytes<T>(shape: Shape<T>, value: T): Uint8Array {
  const record = new RecordWriter([]);
  shape.write(record, value);
  return record.bytes;
}

/** The record in some bytes. */
export const readRecord = <T>(shape: Shape<T>, bytes: OwnBytes, values: readonly unknown[] = []): T =>
  shape.read(new RecordReader(bytes, values));
