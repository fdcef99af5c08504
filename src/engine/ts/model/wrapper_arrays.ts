/**
 * Array-like views of packed elements without a typed array in JavaScript, as zarrita's calls
 * return them: booleans and text of fixed length. `array[i]` equals `array.get(i)` but is about
 * fifty times slower (half a microsecond), because a proxy at the end of the prototype chain
 * handles indices. Calls of `get` do not reach the proxy and cost nothing more.
 */
import { isArrayBuffer } from "./realms.ts";
import { newDecoder, newEncoder } from "./utf8.ts";

const isBuffer = (value: unknown): value is ArrayBufferLike =>
  isArrayBuffer(value) || (typeof SharedArrayBuffer !== "undefined" && value instanceof SharedArrayBuffer);

interface Indexed {
  readonly length: number;
  get(idx: number): unknown;
  set(idx: number, value: unknown): void;
}

const isIndex = (key: string | symbol): key is string =>
  typeof key === "string" && /^(0|[1-9]\d*)$/.test(key);

/**
 * The key of the elements. It is no private member, which a proxy of an array would not have: Vue
 * makes such proxies, and they pass typed arrays on.
 */
const MEMORY: unique symbol = Symbol("zarr-wasm.memory");

/** The prototype of the classes' prototypes. */
const INDICES = new Proxy(Object.prototype, {
  get(target, key, receiver: Indexed) {
    if (!isIndex(key)) return Reflect.get(target, key, receiver);
    return Number(key) < receiver.length ? receiver.get(Number(key)) : undefined;
  },
  set(target, key, value, receiver: Indexed) {
    if (!isIndex(key)) return Reflect.set(target, key, value, receiver);
    receiver.set(Number(key), value);
    return true;
  },
});

/**
 * Throws for an index outside. Strings of no length have no elements in memory, so any index is
 * theirs.
 */
function checkIndex(idx: number, { length, chars }: Indexed & { chars: number }): void {
  if (idx >= 0 && (idx < length || chars === 0)) return;
  throw new RangeError(`index ${idx} is out of range: ${length}`);
}

/** The key of the method that gives the units of one string. */
const UNITS: unique symbol = Symbol("zarr-wasm.units");

/** Replaces a number that is not a code point. */
const REPLACEMENT = 0xfffd;

/** Converts UTF-32 code points to text, including the padding. */
export function codesToText(codes: Int32Array | Uint32Array): string {
  let text = "";
  for (const code of codes) text += String.fromCodePoint(code >= 0 && code <= 0x10ffff ? code : REPLACEMENT);
  return text;
}

/**
 * Truth values, one byte each, as zarrita's calls return them. `array[i]` equals `array.get(i)`.
 */
export class BoolArray<B extends ArrayBufferLike = ArrayBufferLike> {
  /** The name of the class, also in minified code. */
  static readonly name = "BoolArray";
  static {
    Object.setPrototypeOf(BoolArray.prototype, INDICES);
  }

  [idx: number]: boolean;
  /** @internal */
  [MEMORY]: Uint8Array<B>;

  /** @param size The number of elements, which are false. */
  constructor(size: number);
  /** @param values The elements, which are copied. */
  constructor(values: Iterable<boolean>);
  /**
   * @param buffer Memory for the elements, which is shared.
   * @param byteOffset Where the elements begin in it, in bytes. Default: 0.
   * @param length The number of elements. Default: to the end of the memory.
   */
  constructor(buffer: B, byteOffset?: number, length?: number);
  constructor(source: number | Iterable<boolean> | B, byteOffset?: number, length?: number) {
    const bytes =
      typeof source === "number" || isBuffer(source)
        ? new Uint8Array(source as B, byteOffset, length)
        : Uint8Array.from(source, (value) => (value ? 1 : 0));
    this[MEMORY] = bytes as Uint8Array<B>;
  }

  /** The size of an element, in bytes. */
  get BYTES_PER_ELEMENT(): 1 {
    return 1;
  }

  /** Where the elements begin in `buffer`, in bytes. */
  get byteOffset(): number {
    return this[MEMORY].byteOffset;
  }

  /** The size of all elements, in bytes. */
  get byteLength(): number {
    return this[MEMORY].byteLength;
  }

  /** The memory of the elements. */
  get buffer(): B {
    return this[MEMORY].buffer as B;
  }

  /** The number of elements. */
  get length(): number {
    return this[MEMORY].length;
  }

  /**
   * Returns the element at an index.
   *
   * @param idx The index, from 0.
   */
  get(idx: number): boolean {
    const byte = this[MEMORY][idx];
    return (byte === undefined ? undefined : byte !== 0) as boolean;
  }

  /**
   * Changes the element at an index.
   *
   * @param idx The index, from 0.
   * @param value The new element.
   */
  set(idx: number, value: boolean): void {
    this[MEMORY][idx] = value ? 1 : 0;
  }

  /**
   * Changes all elements.
   *
   * @param value The new element.
   */
  fill(value: boolean): void {
    this[MEMORY].fill(value ? 1 : 0);
  }

  /** Iterates over the elements. */
  *[Symbol.iterator](): IterableIterator<boolean> {
    for (const byte of this[MEMORY]) yield byte !== 0;
  }
}

type TextValues<B> = number | B | Iterable<string>;

/** Strings of `chars` units each, padded with NUL. */
abstract class TextArray<B extends ArrayBufferLike, Units extends Uint8Array | Int32Array> {
  static {
    Object.setPrototypeOf(TextArray.prototype, INDICES);
  }

  [idx: number]: string;
  /** @internal */
  readonly [MEMORY]: Units;
  /** The number of units of an element. */
  chars: number;

  constructor(
    Class: new (source: never, byteOffset?: number, length?: number) => Units,
    chars: number,
    ...[source, byteOffset, length]: [source: TextValues<B>, byteOffset?: number, length?: number]
  ) {
    this.chars = chars;
    if (isBuffer(source)) {
      this[MEMORY] = new Class(
        source as never,
        byteOffset,
        length === undefined ? undefined : length * chars,
      );
      return;
    }
    const values = typeof source === "number" ? [] : [...(source as Iterable<string>)];
    const size = typeof source === "number" ? source : values.length;
    this[MEMORY] = new Class((size * chars) as never);
    for (const [idx, value] of values.entries()) this.set(idx, value);
  }

  /** The size of an element, in bytes. */
  get BYTES_PER_ELEMENT(): number {
    return this[MEMORY].BYTES_PER_ELEMENT * this.chars;
  }

  /** Where the elements begin in `buffer`, in bytes. */
  get byteOffset(): number {
    return this[MEMORY].byteOffset;
  }

  /** The size of all elements, in bytes. */
  get byteLength(): number {
    return this[MEMORY].byteLength;
  }

  /** The memory of the elements. */
  get buffer(): B {
    return this[MEMORY].buffer as B;
  }

  /** The number of elements. */
  get length(): number {
    return this.chars === 0 ? 0 : this[MEMORY].length / this.chars;
  }

  /** @internal */
  protected get units(): Units {
    return this[MEMORY];
  }

  /**
   * The units of the string at an index.
   *
   * @internal
   */
  [UNITS](idx: number): Units {
    return this[MEMORY].subarray(this.chars * idx, this.chars * (idx + 1)) as Units;
  }

  /**
   * Returns the element at an index, without the NULs that pad it.
   *
   * @param idx The index, from 0.
   * @throws a `RangeError` outside of the array.
   */
  abstract get(idx: number): string;

  /** Changes the element at an index. */
  abstract set(idx: number, value: string): void;

  /**
   * Changes all elements.
   *
   * @param value The new element.
   */
  fill(value: string): void {
    for (let idx = 0; idx < this.length; idx += 1) this.set(idx, value);
  }

  /** Iterates over the elements. */
  *[Symbol.iterator](): IterableIterator<string> {
    for (let idx = 0; idx < this.length; idx += 1) yield this.get(idx);
  }
}

/**
 * Strings of `chars` bytes each, padded with NUL, as zarrita's calls return them. `array[i]` equals
 * `array.get(i)`.
 */
export class ByteStringArray<B extends ArrayBufferLike = ArrayBufferLike> extends TextArray<B, Uint8Array> {
  /** The name of the class, also in minified code. */
  static override readonly name = "ByteStringArray";
  /** The bytes of all elements. zarrita has this member, too. */
  _data: Uint8Array;

  /**
   * @param chars The number of bytes of an element.
   * @param size The number of elements, which are empty.
   */
  constructor(chars: number, size: number);
  /**
   * @param buffer Memory for the elements, which is shared.
   * @param byteOffset Where the elements begin in it, in bytes. Default: 0.
   * @param length The number of elements. Default: to the end of the memory.
   */
  constructor(chars: number, buffer: B, byteOffset?: number, length?: number);
  /** @param values The elements, which are copied. */
  constructor(chars: number, values: Iterable<string>);
  constructor(chars: number, source: TextValues<B>, byteOffset?: number, length?: number) {
    super(Uint8Array, chars, source, byteOffset, length);
    this._data = this.units;
  }

  /**
   * Returns the element at an index, without the NULs that pad it.
   *
   * @param idx The index, from 0.
   * @throws a `RangeError` outside of the array.
   */
  get(idx: number): string {
    checkIndex(idx, this);
    return newDecoder().decode(this[UNITS](idx).slice()).replaceAll("\0", "");
  }

  /**
   * Changes the element at an index.
   *
   * @param idx The index, from 0.
   * @param value The new element.
   */
  set(idx: number, value: string): void {
    const units = this[UNITS](idx);
    units.fill(0);
    units.set(newEncoder().encode(value));
  }
}

/**
 * Strings of `chars` UTF-32 code points each, padded with NUL, as zarrita's calls return them.
 * `array[i]` equals `array.get(i)`.
 */
export class UnicodeStringArray<B extends ArrayBufferLike = ArrayBufferLike> extends TextArray<
  B,
  Int32Array
> {
  /** The name of the class, also in minified code. */
  static override readonly name = "UnicodeStringArray";

  /**
   * @param chars The number of code points of an element.
   * @param size The number of elements, which are empty.
   */
  constructor(chars: number, size: number);
  /**
   * @param buffer Memory for the elements, which is shared.
   * @param byteOffset Where the elements begin in it, in bytes. Default: 0.
   * @param length The number of elements. Default: to the end of the memory.
   */
  constructor(chars: number, buffer: B, byteOffset?: number, length?: number);
  /** @param values The elements, which are copied. */
  constructor(chars: number, values: Iterable<string>);
  constructor(chars: number, source: TextValues<B>, byteOffset?: number, length?: number) {
    super(Int32Array, chars, source, byteOffset, length);
  }

  /**
   * Returns the element at an index, without the NULs that pad it.
   *
   * @param idx The index, from 0.
   * @throws a `RangeError` outside of the array.
   */
  get(idx: number): string {
    checkIndex(idx, this);
    return codesToText(this[UNITS](idx)).replaceAll("\0", "");
  }

  /**
   * Changes the element at an index.
   *
   * @param idx The index, from 0.
   * @param value The new element.
   */
  set(idx: number, value: string): void {
    const units = this[UNITS](idx);
    units.fill(0);
    units.set([...value].slice(0, this.chars).map((char) => char.codePointAt(0) ?? 0));
  }
}
