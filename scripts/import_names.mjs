/**
 * Shortens the names of the imports of a wasm build, in the module and in wasm-bindgen's glue. Each
 * has a hash of 16 digits, which no compression makes smaller, and the name of a module, which is
 * the same for all.
 */
import { StepFailed } from "./run_command.mjs";
import { HEADER, WasmReader } from "./wasm_reader.mjs";

/** The name of the imports' module in wasm-bindgen's output, and the short one. */
const [MODULE, SHORT_MODULE] = ["./zarr_wasm_bg.js", "a"];

/** The parts of an import's name: what it does, and the end of its hash. */
const PARTS = /^_*wb(?:g|indgen)_+(?:wbindgen_)?(.+)_[0-9a-f]{14}(..)$/;

/** The short names of imports. Two digits of the hash remain where names are the same without. */
export function shortNames(names) {
  const parts = names.map((name) => name.match(PARTS)?.slice(1) ?? [name, ""]);
  const isAlone = ([base]) => parts.filter(([other]) => other === base).length === 1;
  const short = parts.map((each) => (isAlone(each) ? each[0] : each.join("_")));
  if (new Set(short).size < names.length) throw new StepFailed("two imports of the wasm have the same name");
  return new Map(names.map((name, at) => [name, short[at]]));
}

/** An unsigned number in LEB128. */
function encoded(number) {
  const bytes = [];
  for (let left = number; bytes.length === 0 || left > 0; left >>>= 7)
    bytes.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
  return Buffer.from(bytes);
}

const text = (value) => Buffer.concat([encoded(value.length), Buffer.from(value)]);

const IMPORT_SECTION = 2;
const FUNCTION = 0;

/** An import section with other names. All imports are functions. */
function renamedSection(section, names) {
  const reader = new WasmReader(section);
  const count = reader.number();
  const entries = [encoded(count)];
  for (let entry = 0; entry < count; entry += 1) {
    const [module, name, kind] = [reader.text(), reader.text(), reader.number()];
    if (module !== MODULE || kind !== FUNCTION || !names.has(name))
      throw new StepFailed(`the wasm has an import of an unknown form: ${module} ${name}`);
    entries.push(text(SHORT_MODULE), text(names.get(name)), encoded(kind), encoded(reader.number()));
  }
  return Buffer.concat(entries);
}

/** A module with other names of its imports. */
export function renamedImports(wasm, names) {
  const parts = [wasm.subarray(0, HEADER)];
  for (const [id, section] of new WasmReader(wasm, HEADER).sections()) {
    const body = id === IMPORT_SECTION ? renamedSection(section, names) : section;
    parts.push(encoded(id), encoded(body.length), body);
  }
  return Buffer.concat(parts);
}

/** wasm-bindgen's glue with other names of imports. */
export const renamedGlue = (glue, names) =>
  glue
    .replaceAll(`"${MODULE}"`, `"${SHORT_MODULE}"`)
    .replace(/^( {8})(__wb\w+)(?=: function)/gm, (_, space, name) => space + names.get(name));

/** The names of the imports in wasm-bindgen's glue. */
export const importNames = (glue) => [...glue.matchAll(/^ {8}(__wb\w+): function/gm)].map(([, name]) => name);
