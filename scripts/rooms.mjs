/**
 * Measures how many bytes of the engine's wasm each room has, for the ledger: the bodies of its
 * functions, named after wasm-opt. Generic functions of the standard library count as `std`,
 * whichever room they were made for, and so do small dependencies.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { glueFolder, optimise } from "./wasm.mjs";

/** The room of a function, by the beginning of its name; the first that fits. */
const ROOMS = [
  [/^zarr_wasm_kernel::/, () => "kernel"],
  [
    /^zarr_wasm::(format|access)(?:::(codec|data_type|json|metadata))?::/,
    (_, room, part) => ["core", room, part].filter(Boolean).join("/"),
  ],
  [/^zarr_wasm::/, () => "core"],
  [/^zarr_wasm_engine::(store|read|write|hierarchy|js)::/, (_, room) => `engine/${room}`],
  [/^zarr_wasm_engine::/, () => "engine"],
  [/^(ZSTD|HUF|FSE|XXH|ERR|BIT|MEM|rust_zstd)_/, () => "zstd"],
  [/^(wasm_bindgen|js_sys|futures_\w+|snap)\b/, (_, name) => name],
  // The functions that JavaScript calls have plain names.
  [/^[a-zA-Z]\w*( (externref|multivalue) shim)*$/, () => "engine/js"],
];

function roomOf(name) {
  const plain = name.replace(/^[<&]+(mut )?/, "");
  for (const [pattern, room] of ROOMS) {
    const found = pattern.exec(plain);
    if (found) return room(...found);
  }
  return "std";
}

/** Reads a wasm module from front to back. */
class Reader {
  constructor(bytes, at = 0) {
    Object.assign(this, { bytes, at });
  }

  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }

  text() {
    const length = this.number();
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }

  /** The sections of a module, or the parts of its section of names, by number. */
  *parts(end) {
    while (this.at < end) {
      const id = this.bytes[this.at++];
      const next = this.number() + this.at;
      yield { id, next };
      this.at = next;
    }
  }
}

const [CUSTOM, CODE, FUNCTION_NAMES] = [0, 10, 1];

/** The names of functions, by number. */
function functionNames(reader, end) {
  const names = new Map();
  if (reader.text() !== "name") return names;
  for (const { id } of reader.parts(end)) {
    if (id !== FUNCTION_NAMES) continue;
    for (let left = reader.number(); left > 0; left--) names.set(reader.number(), reader.text());
  }
  return names;
}

/** The bytes of each function that the module itself has, in order. */
function bodies(reader) {
  return Array.from({ length: reader.number() }, () => {
    const length = reader.number();
    reader.at += length;
    return length;
  });
}

/** Resolves to the bytes of each room, the largest first. */
export async function roomSizes() {
  const named = join(glueFolder("engine"), "zarr_wasm_named.wasm");
  await optimise(join(glueFolder("engine"), "zarr_wasm_bg.wasm"), named, ["--debuginfo"]);
  const reader = new Reader(readFileSync(named), 8);
  let [names, lengths] = [new Map(), []];
  for (const { id, next } of reader.parts(reader.bytes.length)) {
    if (id === CODE) lengths = bodies(reader);
    if (id === CUSTOM) names = new Map([...names, ...functionNames(reader, next)]);
  }
  // Imported functions come first, and have no bodies.
  const first = names.size - lengths.length;
  const rooms = {};
  for (const [at, bytes] of lengths.entries()) {
    const room = roomOf(names.get(first + at) ?? "");
    rooms[room] = (rooms[room] ?? 0) + bytes;
  }
  return Object.fromEntries(Object.entries(rooms).sort(([, one], [, other]) => other - one));
}
