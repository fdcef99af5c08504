/**
 * Links a wasm build of the engine: the JavaScript end of wasm-bindgen's interface
 * (`src/engine/rust/js`). `scripts/glue.mjs` reads the tables of what its imports do and its
 * exports take from the JavaScript that wasm-bindgen writes. That text would be in the program
 * twice, once a build. Values of JavaScript are numbered in a table of the wasm (`externrefs`).
 */

import { forms, importsOf } from "#glue-tables";
import type { EngineBuild } from "../../../contract/contract.ts";
import { newDecoder, newEncoder } from "../model/utf8.ts";

type Made = "default" | "initSync" | "__wbg_reset_state";

/** The functions of the wasm, and `reset`, which replaces its instance by a new one. */
type Linked<Exports> = Omit<Exports, Made> & { reset(): void };

/** What each build exports. */
export interface Glues {
  engine: Linked<typeof import("#glue")>;
  reading: Linked<typeof import("#reading-glue")>;
  full: Linked<typeof import("#full-glue")>;
}

/** What every build exports. */
export type Glue = Glues["engine"];

type Call = (...values: never[]) => never;

/** What crosses: numbers of the wasm. */
type Words = number[];

/** wasm-bindgen's own exports, and those of the tables. */
interface Exports {
  memory: WebAssembly.Memory;
  __wbindgen_externrefs: WebAssembly.Table;
  __externref_table_alloc(): number;
  __externref_table_dealloc(at: number): void;
  __wbindgen_malloc(length: number, alignment: number): number;
  __wbindgen_realloc(at: number, before: number, length: number, alignment: number): number;
  __wbindgen_free(at: number, length: number, alignment: number): void;
  __wbindgen_exn_store(at: number): void;
  __wbindgen_destroy_closure(at: number, table: number): void;
  __wbindgen_start(): void;
  [name: string]: unknown;
}

type ArrayOf<T> = new (memory: ArrayBufferLike, at: number, length: number) => T;

/** Safari's decoders fail after 2 GiB of text. */
const MAX_DECODED_BYTES = 2146435072;

const isNone = (value: unknown): value is null | undefined => value === undefined || value === null;

/** A proxy of a user may throw when it is asked. */
function isA(value: unknown, type: new () => unknown): boolean {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/** A value as errors of Rust show it. */
function shown(value: unknown): string {
  const type = typeof value;
  try {
    const isJson = type === "string" || (type === "object" && !(value instanceof Error));
    return type === "function" ? type : String(isJson ? JSON.stringify(value) : value);
  } catch {
    return type;
  }
}

/** A closure of Rust that JavaScript holds. `at` is 0 while it runs, and when it has ended. */
interface HeldClosure {
  readonly linker: Linker;
  readonly wasm: Exports;
  readonly table: number;
  at: number;
  holders: number;
}

function endClosure(held: HeldClosure): void {
  if (held.linker.wasm === held.wasm) held.wasm.__wbindgen_destroy_closure(held.at, held.table);
  held.at = 0;
}

/** Ends the closures that JavaScript has forgotten. */
const forgotten = new FinalizationRegistry(endClosure);

/** The values of JavaScript, and the memory, of one instance after the other. */
class Linker {
  readonly #module: WebAssembly.Module;
  readonly #imports: WebAssembly.Imports = {};
  wasm!: Exports;
  #bytes = new Uint8Array(0);
  #view = new DataView(new ArrayBuffer(0));
  #decoder!: TextDecoder;
  #decoded = MAX_DECODED_BYTES;

  constructor(module: WebAssembly.Module, build: string) {
    this.#module = module;
    const functions = importsOf(build, this.#called()) as Record<string, Call>;
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      this.#imports[from] ??= {};
      this.#imports[from][name] = functions[name] as Call;
    }
  }

  async link(): Promise<void> {
    this.#start(await WebAssembly.instantiate(this.#module, this.#imports));
  }

  /** Links anew, and forgets the earlier instance. */
  readonly reset = (): void => this.#start(new WebAssembly.Instance(this.#module, this.#imports));

  #start({ exports }: WebAssembly.Instance): void {
    this.wasm = exports as unknown as Exports;
    this.#bytes = new Uint8Array(this.wasm.memory.buffer);
    this.#decoded = MAX_DECODED_BYTES;
    this.wasm.__wbindgen_start();
  }

  /** What the imports of the tables call. */
  #called() {
    return {
      array: this.array,
      catching: this.#catching,
      closure: this.#closure,
      giveText: this.#giveText,
      isA,
      isNone,
      keep: this.keep,
      references: () => this.wasm.__wbindgen_externrefs,
      shown,
      text: this.text,
      view: this.#viewNow,
    };
  }

  /** The whole memory. A view of it has no length after it has grown. */
  #bytesNow(): Uint8Array {
    if (this.#bytes.length === 0) this.#bytes = new Uint8Array(this.wasm.memory.buffer);
    return this.#bytes;
  }

  readonly #viewNow = (): DataView => {
    const { buffer } = this.wasm.memory;
    if (this.#view.buffer !== buffer) this.#view = new DataView(buffer);
    return this.#view;
  };

  readonly array = <T>(type: ArrayOf<T>, at: number, length: number): T =>
    new type(this.wasm.memory.buffer, at >>> 0, length);

  readonly text = (at: number, length: number): string => {
    this.#decoded += length;
    if (this.#decoded >= MAX_DECODED_BYTES) {
      this.#decoder = newDecoder({ ignoreBOM: true });
      this.#decoded = length;
    }
    return this.#decoder.decode(this.#bytesNow().subarray(at >>> 0, (at >>> 0) + length));
  };

  /** Copies a text into new memory. Most texts are ASCII, which needs no encoder. */
  pass(text: string): Words {
    const { length } = text;
    const at = this.wasm.__wbindgen_malloc(length, 1) >>> 0;
    const bytes = this.#bytesNow();
    for (let done = 0; done < length; done += 1) {
      const code = text.charCodeAt(done);
      if (code > 0x7f) return this.#encode(text.slice(done), at, done, length);
      bytes[at + done] = code;
    }
    return [at, length];
  }

  /** Copies the rest of a text, of which `done` bytes are in the memory. */
  #encode(rest: string, before: number, done: number, length: number): Words {
    const { __wbindgen_realloc: resized } = this.wasm;
    const most = done + rest.length * 3;
    const at = resized(before, length, most, 1) >>> 0;
    const { written } = newEncoder().encodeInto(rest, this.array(Uint8Array, at + done, most - done));
    return [resized(at, most, done + written, 1) >>> 0, done + written];
  }

  /** Copies numbers into new memory. */
  passArray<T extends ArrayLike<unknown>>(
    values: T,
    type: ArrayOf<{ set(values: T): void }>,
    size: number,
  ): Words {
    const at = this.wasm.__wbindgen_malloc(values.length * size, size) >>> 0;
    this.array(type, at, values.length).set(values);
    return [at, values.length];
  }

  readonly keep = (value: unknown): number => {
    const at = this.wasm.__externref_table_alloc();
    this.wasm.__wbindgen_externrefs.set(at, value);
    return at;
  };

  take(at: number): unknown {
    const value = this.wasm.__wbindgen_externrefs.get(at);
    this.wasm.__externref_table_dealloc(at);
    return value;
  }

  readonly #giveText = (to: number, text: string | null | undefined): void => {
    const [at = 0, length = 0] = isNone(text) ? [] : this.pass(text);
    this.#viewNow().setInt32((to >>> 0) + 4, length, true);
    this.#viewNow().setInt32(to >>> 0, at, true);
  };

  /** What an import throws, Rust takes as its error. */
  readonly #catching =
    (call: (...values: unknown[]) => unknown) =>
    (...values: unknown[]): unknown => {
      try {
        return call(...values);
      } catch (error) {
        return this.wasm.__wbindgen_exn_store(this.keep(error));
      }
    };

  /**
   * A closure of Rust as a function. A call holds it, so that Rust cannot end it meanwhile.
   */
  readonly #closure = (at: number, table: number, invoke: string): unknown => {
    const held: HeldClosure = { linker: this, wasm: this.wasm, table, at, holders: 1 };
    const leave = () => {
      held.holders -= 1;
      if (held.holders > 0) return;
      endClosure(held);
      forgotten.unregister(held);
    };
    const called = (...values: never[]): void => {
      if (this.wasm !== held.wasm) throw new Error("this closure belongs to an instance that is gone");
      held.holders += 1;
      const { at } = held;
      held.at = 0;
      try {
        thrown(this, (held.wasm[invoke] as Call)(at as never, table as never, ...values), 0);
      } finally {
        held.at = at;
        leave();
      }
    };
    forgotten.register(called, held, held);
    return Object.assign(called, { _wbg_cb_unref: leave });
  };
}

type Pass = (linker: Linker, value: never) => Words;

/** How the parameters of exports are passed, by the letters of the tables. */
const PASS: Record<string, Pass> = {
  _: (_, value) => [value],
  s: (linker, text: string) => linker.pass(text),
  t: (linker, text?: string) => (isNone(text) ? [0, 0] : linker.pass(text)),
  b: (linker, bytes: Uint8Array) => linker.passArray(bytes, Uint8Array, 1),
  d: (linker, numbers: Float64Array) => linker.passArray(numbers, Float64Array, 8),
};

/** What the results of exports mean, by the letters of the tables. */
const GIVE: Record<string, (linker: Linker, result: never) => unknown> = {
  "": () => undefined,
  u: (_, number: number) => number >>> 0,
  "?": (_, number: number) => number !== 0,
  n: (_, number: number) => (number === Number.MAX_SAFE_INTEGER ? undefined : number),
  "!": (linker, words: Words) => void thrown(linker, words, 0),
  "x!": (linker, words: Words) => linker.take(thrown(linker, words, 1)),
  d(linker, [at, length]: [number, number]) {
    const numbers = linker.array(Float64Array, at, length).slice();
    linker.wasm.__wbindgen_free(at, length * 8, 8);
    return numbers;
  },
};

/** Throws the error that is in a result from an index on, or returns the first number. */
function thrown(linker: Linker, words: Words, from: number): number {
  if (words[from + 1]) throw linker.take(words[from] as number);
  return words[0] as number;
}

/** The function that calls an export. */
function exported(linker: Linker, name: string, form: string): (...values: never[]) => unknown {
  const [takes = "", gives = ""] = form.split(":");
  const give = GIVE[gives] as (linker: Linker, result: never) => unknown;
  const isPlain = /^_*$/.test(takes);
  const words = (values: unknown[]): unknown[] => {
    for (let at = 0; at < takes.length; at += 1)
      if (takes[at] === "s" && typeof values[at] !== "string")
        throw new TypeError(`not a text: ${typeof values[at]}`);
    return Array.from(takes, (letter, at) => (PASS[letter] as Pass)(linker, values[at] as never)).flat();
  };
  return (...values) =>
    give(linker, (linker.wasm[name] as Call)(...((isPlain ? values : words(values)) as never[])));
}

/** Links a module of a build. */
export async function linked(module: WebAssembly.Module, build: EngineBuild): Promise<Glue> {
  const linker = new Linker(module, build);
  await linker.link();
  const calls = Object.entries(forms).map(([name, form]) => [name, exported(linker, name, form)]);
  return { ...Object.fromEntries(calls), reset: linker.reset };
}
