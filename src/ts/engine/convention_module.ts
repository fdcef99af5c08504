/**
 * The conventions' own wasm module (`src/conventions/` in Rust): loaded on first use, and called
 * with JSON text, or with numbers for warping and downsampling. Its calls are pure but for the
 * grids that warping keeps, which callers give again when they are gone; so an instance that
 * trapped is thrown away and the next call has a new one.
 */
import { ZarrError } from "../model/errors.ts";
import { engineModule } from "./wasm_builds.ts";

/** The exports of `src/engine/js/convention_host.rs`. */
interface ConventionExports {
  memory: WebAssembly.Memory;
  conventions_request(len: number): number;
  conventions_answer(request: number, len: number): number;
  conventions_numbers(request: number, len: number): number;
  conventions_answer_ptr(): number;
  conventions_answer_len(): number;
}

let starting: Promise<ConventionExports> | undefined;

async function start(): Promise<ConventionExports> {
  const instance = await WebAssembly.instantiate(await engineModule("conventions"), {});
  return instance.exports as unknown as ConventionExports;
}

/** Drops the instance. */
export function forgetConventions(): void {
  starting = undefined;
}

function instance(): Promise<ConventionExports> {
  if (!starting) {
    starting = start();
    starting.catch(forgetConventions);
  }
  return starting;
}

/** Starts the module before a call needs it. If that fails, the first call tells why. */
export function prepareConventions(): void {
  instance().catch(() => {});
}

type Entry = "conventions_answer" | "conventions_numbers";

/** Copies the answer, because the next call of another caller overwrites it in wasm memory. */
function called(
  wasm: ConventionExports,
  entry: Entry,
  request: Uint8Array,
): { status: number; answer: Uint8Array<ArrayBuffer> } {
  const at = wasm.conventions_request(request.length) >>> 0;
  if (at === 0) throw new ZarrError("Limit", `no memory for a request of ${request.length} bytes`);
  new Uint8Array(wasm.memory.buffer, at, request.length).set(request);
  const status = wasm[entry](at, request.length);
  const [pointer, len] = [wasm.conventions_answer_ptr() >>> 0, wasm.conventions_answer_len()];
  return { status, answer: new Uint8Array(wasm.memory.buffer, pointer, len).slice() };
}

async function asked(entry: Entry, request: Uint8Array, tooMuch: string) {
  const wasm = await instance();
  try {
    return called(wasm, entry, request);
  } catch (cause) {
    if (cause instanceof ZarrError) throw cause;
    forgetConventions();
    throw new ZarrError("Limit", tooMuch, { cause });
  }
}

/**
 * Sends a request to the module. The answer is the JSON text of a value (status 0) or of an error.
 */
export async function askConventions(request: string): Promise<{ status: number; answer: string }> {
  const bytes = new TextEncoder().encode(request);
  const { status, answer } = await asked("conventions_answer", bytes, "the attributes are too large");
  return { status, answer: new TextDecoder().decode(answer) };
}

/** As `askConventions`, with binary numbers in place of JSON. */
export const askNumbers = (
  request: Uint8Array,
): Promise<{ status: number; answer: Uint8Array<ArrayBuffer> }> =>
  asked("conventions_numbers", request, "the map or the box of elements is too large");
