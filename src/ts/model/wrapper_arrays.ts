/**
 * Array-like views of packed elements without a typed array in JavaScript, as zarrita's calls
 * return them: booleans and text of fixed length. `array[i]` equals `array.get(i)` but is about
 * fifty times slower (half a microsecond), because a proxy at the end of the prototype chain
 * handles indices. Calls of `get` do not reach the proxy and cost nothing more.
 */

const isBuffer = (value: unknown): value is ArrayBufferLike =>
  value instanceof ArrayBuffer ||
  (typeof SharedArrayBuffer !== "undefined" && value instanceof SharedArrayBuffer);

interface Indexed {
  readonly length: number;
  get(idx: number): unknown;
  set(idx: number, value: unknown): void;
}

const isIndex = (key: string | symbol): key is string =>
  typeof key === "string" && /^(0|[1-9]\d*)$/.test(key);

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

/** Throws for an index outside. Strings of no length have no places, so any index is theirs. */
function checkIndex(idx: number, { length, chars }: Indexed & { chars: number }): void {
  if (idx >= 0 && (idx < length || chars === 0)) return;
  throw new RangeError(`index ${idx} is out of range: ${length}`);
}

/** Replaces a number that is not a code point. */
const REPLACEMENT = 0xfffd;

/** Converts UTF-32 code points to text, including the padding. */
export function codesToText(codes: Int32Array | Uint32Array): string {
  let text = "";
  for (const code of codes) text += String.fromCodePoint(code >= 0 && code <= 0x10ffff ? code : REPLACEMENT);
  return text;
}

/** Booleans, one byte each. */
export class BoolArray<B extends ArrayBufferLike = ArrayBufferLike> {
  /** Survives minifying: other libraries compare it. */
  static readonly name = "BoolArray";
  static {
    Object.setPrototypeOf(BoolArray.prototype, INDICES);
  }

  [idx: number]: boolean;
  #bytes: Uint8Array<B>;

  constructor(size: number);
  constructor(values: Iterable<boolean>);
  constructor(buffer: B, byteOffset?: number, length?: number);
  constructor(source: number | Iterable<boolean> | B, byteOffset?: number, length?: number) {
    const bytes = isBuffer(source)
      ? new Uint8Array(source, byteOffset, length)
      : typeof source === "number"
        ? new Uint8Array(source)
        : Uint8Array.from(source, (value) => (value ? 1 : 0));
    this.#bytes = bytes as Uint8Array<B>;
  }

  get BYTES_PER_ELEMENT(): 1 {
    return 1;
  }

  get byteOffset(): number {
    return this.#bytes.byteOffset;
  }

  get byteLength(): number {
    return this.#bytes.byteLength;
  }

  get buffer(): B {
    return this.#bytes.buffer;
  }

  get length(): number {
    return this.#bytes.length;
  }

  get(idx: number): boolean {
    const byte = this.#bytes[idx];
    return (byte === undefined ? undefined : byte !== 0) as boolean;
  }

  set(idx: number, value: boolean): void {
    this.#bytes[idx] = value ? 1 : 0;
  }

  fill(value: boolean): void {
    this.#bytes.fill(value ? 1 : 0);
  }

  *[Symbol.iterator](): IterableIterator<boolean> {
    for (const byte of this.#bytes) yield byte !== 0;
  }
}

/** Strings of `chars` bytes each, padded with NUL. */
export class ByteStringArray<B extends ArrayBufferLike = ArrayBufferLike> {
  /** Survives minifying: other libraries compare it. */
  static readonly name = "ByteStringArray";
  static {
    Object.setPrototypeOf(ByteStringArray.prototype, INDICES);
  }

  [idx: number]: string;
  _data: Uint8Array<B>;
  chars: number;

  constructor(chars: number, size: number);
  constructor(chars: number, buffer: B, byteOffset?: number, length?: number);
  constructor(chars: number, values: Iterable<string>);
  constructor(chars: number, source: number | B | Iterable<string>, byteOffset?: number, length?: number) {
    this.chars = chars;
    if (isBuffer(source)) {
      this._data = new Uint8Array(source, byteOffset, length === undefined ? undefined : length * chars);
      return;
    }
    const values = typeof source === "number" ? [] : [...(source as Iterable<string>)];
    const size = typeof source === "number" ? source : values.length;
    this._data = new Uint8Array(size * chars) as unknown as Uint8Array<B>;
    for (const [idx, value] of values.entries()) this.set(idx, value);
  }

  get BYTES_PER_ELEMENT(): number {
    return this.chars;
  }

  get byteOffset(): number {
    return this._data.byteOffset;
  }

  get byteLength(): number {
    return this._data.byteLength;
  }

  get buffer(): B {
    return this._data.buffer;
  }

  get length(): number {
    return this.chars === 0 ? 0 : this.byteLength / this.chars;
  }

  /** The string at an index. Throws a `RangeError` outside of the array. */
  get(idx: number): string {
    checkIndex(idx, this);
    const bytes = this._data.slice(this.chars * idx, this.chars * (idx + 1));
    return new TextDecoder().decode(bytes).replaceAll("\0", "");
  }

  set(idx: number, value: string): void {
    const place = this._data.subarray(this.chars * idx, this.chars * (idx + 1));
    place.fill(0);
    place.set(new TextEncoder().encode(value));
  }

  fill(value: string): void {
    for (let idx = 0; idx < this.length; idx += 1) this.set(idx, value);
  }

  *[Symbol.iterator](): IterableIterator<string> {
    for (let idx = 0; idx < this.length; idx += 1) yield this.get(idx);
  }
}

/** Strings of `chars` UTF-32 code points each, padded with NUL. */
export class UnicodeStringArray<B extends ArrayBufferLike = ArrayBufferLike> {
  /** Survives minifying: other libraries compare it. */
  static readonly name = "UnicodeStringArray";
  static {
    Object.setPrototypeOf(UnicodeStringArray.prototype, INDICES);
  }

  [idx: number]: string;
  #codes: Int32Array<B>;
  chars: number;

  constructor(chars: number, size: number);
  constructor(chars: number, buffer: B, byteOffset?: number, length?: number);
  constructor(chars: number, values: Iterable<string>);
  constructor(chars: number, source: number | B | Iterable<string>, byteOffset?: number, length?: number) {
    this.chars = chars;
    if (isBuffer(source)) {
      this.#codes = new Int32Array(source, byteOffset, length === undefined ? undefined : length * chars);
      return;
    }
    const values = typeof source === "number" ? [] : [...(source as Iterable<string>)];
    const size = typeof source === "number" ? source : values.length;
    this.#codes = new Int32Array(size * chars) as unknown as Int32Array<B>;
    for (const [idx, value] of values.entries()) this.set(idx, value);
  }

  get BYTES_PER_ELEMENT(): number {
    return this.#codes.BYTES_PER_ELEMENT * this.chars;
  }

  get byteOffset(): number {
    return this.#codes.byteOffset;
  }

  get byteLength(): number {
    return this.#codes.byteLength;
  }

  get buffer(): B {
    return this.#codes.buffer;
  }

  get length(): number {
    return this.chars === 0 ? 0 : this.#codes.length / this.chars;
  }

  /** The string at an index. Throws a `RangeError` outside of the array. */
  get(idx: number): string {
    checkIndex(idx, this);
    return codesToText(this.#codes.subarray(this.chars * idx, this.chars * (idx + 1))).replaceAll("\0", "");
  }

  set(idx: number, value: string): void {
    const place = this.#codes.subarray(this.chars * idx, this.chars * (idx + 1));
    place.fill(0);
    place.set([...value].slice(0, this.chars).map((char) => char.codePointAt(0) ?? 0));
  }

  fill(value: string): void {
    for (let idx = 0; idx < this.length; idx += 1) this.set(idx, value);
  }

  *[Symbol.iterator](): IterableIterator<string> {
    for (let idx = 0; idx < this.length; idx += 1) yield this.get(idx);
  }
}
