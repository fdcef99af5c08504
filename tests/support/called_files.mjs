/**
 * Which source files run during an action: those of TypeScript by V8's coverage of the built
 * package, and those of Rust by a count in each function of the wasm, whose names a quick build
 * keeps. Functions that a compiler inlines count for the file that they are inlined into. It is for
 * an engine on the caller's thread, and must be imported before the package.
 */
import { existsSync, readFileSync } from "node:fs";
import { Session } from "node:inspector";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Folders of the crates, and the files of their roots. */
const CRATES = {
  zarr_wasm: "src/core",
  zarr_wasm_contract: "src/contract",
  zarr_wasm_engine: "src/engine/rust",
  zarr_wasm_http: "src/http",
  zarr_wasm_kernel: "src/kernel",
};

const SECTIONS = { custom: 0, import: 2, function: 3, global: 6, export: 7, code: 10 };
/** The kind of functions in imports, and of globals in exports. */
const [FUNCTION, GLOBAL] = [0, 3];

/** Reads numbers and names of a wasm file. */
class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  number() {
    let [value, shift, byte] = [0, 0, 0x80];
    for (; byte & 0x80; shift += 7) {
      byte = this.bytes[this.at];
      this.at += 1;
      value += (byte & 0x7f) * 2 ** shift;
    }
    return value;
  }

  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  name = () => new TextDecoder().decode(this.take(this.number()));
}

function leb(value) {
  const bytes = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

const joined = (...parts) => new Uint8Array(Buffer.concat(parts));

function* sectionsOf(bytes) {
  const reader = new Reader(bytes, 8);
  while (reader.at < bytes.length) {
    const id = reader.number();
    yield { id, body: reader.take(reader.number()) };
  }
}

/** The names of functions, by their numbers. */
function namesOf(body) {
  const reader = new Reader(body);
  const names = new Map();
  if (reader.name() !== "name") return names;
  while (reader.at < body.length) {
    const [kind, length] = [reader.number(), reader.number()];
    const part = new Reader(reader.take(length));
    if (kind !== 1) continue;
    for (let left = part.number(); left > 0; left -= 1) names.set(part.number(), part.name());
  }
  return names;
}

/** The number of imported functions. Only functions are imported from JavaScript here. */
function importsOf(body) {
  const reader = new Reader(body);
  const count = reader.number();
  for (let left = count; left > 0; left -= 1) {
    reader.name();
    reader.name();
    if (reader.number() !== FUNCTION) throw new Error("an import that is no function");
    reader.number();
  }
  return count;
}

/** A function's code, which first sets a global to one. */
function counting(code, global) {
  const reader = new Reader(code);
  for (let left = reader.number(); left > 0; left -= 1) {
    reader.number();
    reader.at += 1;
  }
  const [locals, instructions] = [code.subarray(0, reader.at), code.subarray(reader.at)];
  const set = joined(Uint8Array.of(0x41, 1, 0x24), leb(global)); // i32.const 1, global.set
  const all = joined(locals, set, instructions);
  return joined(leb(all.length), all);
}

/** The entries of a section, and more. */
function extended(body, entries) {
  const reader = new Reader(body);
  const count = reader.number();
  return joined(leb(count + entries.length), body.subarray(reader.at), ...entries);
}

const ZERO = Uint8Array.of(0x7f, 1, 0x41, 0, 0x0b); // a mutable i32

/** A module whose exported globals `called<number>` tell which functions ran, and their names. */
function counted(bytes) {
  const sections = [...sectionsOf(bytes)];
  const bodyOf = (id) => sections.find((section) => section.id === id).body;
  const functions = new Reader(bodyOf(SECTIONS.function)).number();
  const globals = new Reader(bodyOf(SECTIONS.global)).number();
  const imports = importsOf(bodyOf(SECTIONS.import));
  const each = (make) => Array.from({ length: functions }, (_, at) => make(at));
  const code = new Reader(bodyOf(SECTIONS.code));
  code.number();
  const changed = {
    [SECTIONS.global]: (body) =>
      extended(
        body,
        each(() => ZERO),
      ),
    [SECTIONS.export]: (body) => {
      const exported = (at) => {
        const name = Buffer.from(`called${at + imports}`);
        return joined(leb(name.length), name, Uint8Array.of(GLOBAL), leb(globals + at));
      };
      return extended(body, each(exported));
    },
    [SECTIONS.code]: () =>
      joined(leb(functions), ...each((at) => counting(code.take(code.number()), globals + at))),
  };
  const parts = sections.map(({ id, body }) => {
    const made = changed[id]?.(body) ?? body;
    return joined(leb(id), leb(made.length), made);
  });
  const custom = sections.filter(({ id }) => id === SECTIONS.custom);
  const names = new Map(custom.flatMap(({ body }) => [...namesOf(body)]));
  return { bytes: joined(bytes.subarray(0, 8), ...parts), names };
}

/** The file of a Rust function: that of the longest module in its name. */
function fileOf(name) {
  const [, crate, path] = /^[<&*\s]*(?:dyn |mut )?(\w+)::([\w:]+)/.exec(name) ?? [];
  const folder = CRATES[crate];
  if (folder === undefined) return undefined;
  const words = path.split("::");
  for (let length = words.length; length > 0; length -= 1) {
    const module = `${folder}/${words.slice(0, length).join("/")}`;
    const file = [`${module}.rs`, `${module}/mod.rs`].find((path) => existsSync(join(ROOT, path)));
    if (file) return file;
  }
  return undefined;
}

const modules = new WeakMap();
const instances = [];

/** Makes `WebAssembly` count, also for the instances that exist when an action begins. */
function countCalls() {
  const { compile, instantiate, Instance } = WebAssembly;
  WebAssembly.compile = async (bytes) => {
    const made = counted(new Uint8Array(bytes.buffer ?? bytes));
    const module = await compile(made.bytes);
    modules.set(module, made.names);
    return module;
  };
  const kept = (module, { exports }) => instances.push({ exports, names: modules.get(module) });
  WebAssembly.instantiate = async (module, imports) => {
    const instance = await instantiate(module, imports);
    kept(module, instance);
    return instance;
  };
  WebAssembly.Instance = class extends Instance {
    /** wasm-bindgen asks whether what it got is an instance. */
    static [Symbol.hasInstance](value) {
      return value instanceof Instance;
    }

    constructor(module, imports) {
      super(module, imports);
      kept(module, this);
    }
  };
}

countCalls();

/** The globals of the functions that have names. */
const countsOf = ({ exports, names = new Map() }) =>
  [...names].flatMap(([number, name]) => {
    const global = exports[`called${number}`];
    return global ? [{ global, name }] : [];
  });

function rustFiles() {
  const ran = instances.flatMap(countsOf).filter(({ global }) => global.value === 1);
  return ran.flatMap(({ name }) => fileOf(name) ?? []);
}

/**
 * The files of a script of the package, each with the index where it begins. Those that are no
 * source, such as wasm-bindgen's, have no name.
 */
const startsOf = (text) =>
  [...text.matchAll(/^\/\/ (?:(src\/\S+\.ts)|\S+\.js)$/gm)].map(({ index, 1: file }) => ({ index, file }));

function typescriptFiles({ result }) {
  const ours = result.filter(({ url }) => url.startsWith("file:") && url.includes("/dist/"));
  return ours.flatMap(({ url, functions }) => {
    const starts = startsOf(readFileSync(new URL(url), "utf8"));
    // A module's own range has no name.
    const ran = functions.flatMap(({ functionName, ranges: [range] }) =>
      range.count > 0 && (functionName !== "" || range.startOffset > 0) ? [range.startOffset] : [],
    );
    return ran.flatMap((at) => starts.findLast(({ index }) => index <= at)?.file ?? []);
  });
}

/** Whether the wasm has the names of its functions, which a release build lacks. */
export const hasNames = () => instances.some(({ names }) => names?.size > 0);

/** The source files of the package that run during an action, sorted. */
export async function calledFiles(action) {
  const session = new Session();
  session.connect();
  const ask = (method, parameters) =>
    new Promise((resolve, reject) =>
      session.post(method, parameters, (error, answer) => (error ? reject(error) : resolve(answer))),
    );
  await ask("Profiler.enable");
  await ask("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await ask("Profiler.takePreciseCoverage");
  for (const { global } of instances.flatMap(countsOf)) global.value = 0;
  await action();
  const files = [...rustFiles(), ...typescriptFiles(await ask("Profiler.takePreciseCoverage"))];
  session.disconnect();
  return [...new Set(files)].sort();
}
