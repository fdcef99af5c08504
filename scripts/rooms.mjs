/**
 * Measures how many bytes of the engine's wasm each room has, for the ledger: the bodies of its
 * functions, named after wasm-opt. Generic functions of the standard library count as `std`,
 * whichever room they were made for, and so do small dependencies.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { glueFolder, optimise } from "./wasm.mjs";
import { HEADER, WasmReader } from "./wasm_reader.mjs";

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

const [CUSTOM, CODE, FUNCTION_NAMES] = [0, 10, 1];

/** The names of functions, by number, of a section that may have them. */
function functionNames(section) {
  const [reader, names] = [new WasmReader(section), new Map()];
  if (reader.text() !== "name") return names;
  for (const [id, part] of reader.sections()) {
    if (id !== FUNCTION_NAMES) continue;
    const list = new WasmReader(part);
    for (let left = list.number(); left > 0; left--) names.set(list.number(), list.text());
  }
  return names;
}

/** The bytes of each function that the module itself has, in order. */
function bodyLengths(section) {
  const reader = new WasmReader(section);
  return Array.from({ length: reader.number() }, () => reader.take(reader.number()).length);
}

/** Resolves to the bytes of each room, the largest first. */
export async function roomSizes() {
  const named = join(glueFolder("engine"), "zarr_wasm_named.wasm");
  await optimise(join(glueFolder("engine"), "zarr_wasm_bg.wasm"), named, ["--debuginfo"]);
  let [names, lengths] = [new Map(), []];
  for (const [id, section] of new WasmReader(readFileSync(named), HEADER).sections()) {
    if (id === CODE) lengths = bodyLengths(section);
    if (id === CUSTOM) names = new Map([...names, ...functionNames(section)]);
  }
  // Imported functions come first, and have no bodies. One may have no name.
  const first = Math.max(...names.keys()) + 1 - lengths.length;
  const rooms = {};
  for (const [at, bytes] of lengths.entries()) {
    const room = roomOf(names.get(first + at) ?? "");
    rooms[room] = (rooms[room] ?? 0) + bytes;
  }
  return Object.fromEntries(Object.entries(rooms).sort(([, one], [, other]) => other - one));
}
