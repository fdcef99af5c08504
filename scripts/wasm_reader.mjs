/** Reads the parts of a wasm module, one after the other. It checks nothing. */
export class WasmReader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  /** An unsigned number in LEB128. */
  number() {
    let [number, shift, byte] = [0, 0, 0];
    do {
      byte = this.bytes[this.at++];
      number += (byte & 0x7f) * 2 ** shift;
      shift += 7;
    } while (byte & 0x80);
    return number;
  }

  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  text() {
    return this.take(this.number()).toString();
  }

  /** The sections from here to the end, with their numbers. */
  *sections() {
    while (this.at < this.bytes.length) yield [this.number(), this.take(this.number())];
  }
}

/** How many bytes the beginning of a module has, before its sections. */
export const HEADER = 8;
