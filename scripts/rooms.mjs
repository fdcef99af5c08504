/**
 * Measures how many bytes of the engine's wasm each room has, for the ledger: the bodies of its
 * functions, named after wasm-opt. Generic functions of the standard library count as `std`,
 * whichever room they were made for, and so do small dependencies.
 */
import { join } from "node:path";
import { run } from "./run_command.mjs";
import { buildXtask, glueFolder, optimise } from "./wasm.mjs";

/** The room of a function, by the beginning of its name; the first that fits. */
const ROOMS = [
  [/^zarr_wasm_kernel::/, () => "kernel"],
  [
    /^zarr_wasm::(format|access)(?:::(codec|data_type|json|metadata))?::/,
    (_, room, part) => ["core", room, part].filter(Boolean).join("/"),
  ],
  [/^zarr_wasm::/, () => "core"],
  [/^zarr_wasm_http::/, () => "http"],
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

/** Resolves to the bytes of each room, the largest first. */
export async function roomSizes() {
  const named = join(glueFolder("engine"), "zarr_wasm_named.wasm");
  await optimise(join(glueFolder("engine"), "zarr_wasm_bg.wasm"), named, ["--debuginfo"]);
  const list = await run("xtask: the sizes of functions", await buildXtask(), ["sizes", named]);
  const rooms = {};
  for (const line of list.trimEnd().split("\n")) {
    const space = line.indexOf(" ");
    const room = roomOf(line.slice(space + 1));
    rooms[room] = (rooms[room] ?? 0) + Number(line.slice(0, space));
  }
  return Object.fromEntries(Object.entries(rooms).sort(([, one], [, other]) => other - one));
}
