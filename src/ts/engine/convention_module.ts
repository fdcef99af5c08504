/**
 * Loads and calls the wasm module of the conventions (`src/convention/` in Rust). Requests and
 * answers are JSON text. The calls are pure, so an instance that trapped is dropped and the next
 * call starts a new one.
 */
import { ZarrError } from "../model/errors.ts";
import { engineModule } from "./compile.ts";

/** The exports of `src/js/convention_host.rs`. */
interface ConventionExports {
  memory: WebAssembly.Memory;
  conventions_request(len: number): number;
  conventions_answer(request: number, len: number): number;
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

function called(wasm: ConventionExports, request: string): { status: number; answer: string } {
  const bytes = new TextEncoder().encode(request);
  const at = wasm.conventions_request(bytes.length) >>> 0;
  if (at === 0)
    throw new ZarrError(
      "Limit",
      `the conventions module has no memory for a request of ${bytes.length} bytes`,
    );
  new Uint8Array(wasm.memory.buffer, at, bytes.length).set(bytes);
  const status = wasm.conventions_answer(at, bytes.length);
  const [pointer, len] = [wasm.conventions_answer_ptr() >>> 0, wasm.conventions_answer_len()];
  return { status, answer: new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, pointer, len)) };
}

/**
 * Sends a request to the module. The answer is the JSON text of a value (status 0) or of an error.
 */
export async function askConventions(request: string): Promise<{ status: number; answer: string }> {
  const wasm = await instance();
  try {
    return called(wasm, request);
  } catch (cause) {
    if (cause instanceof ZarrError) throw cause;
    forgetConventions();
    throw new ZarrError("Limit", "the conventions module failed on these attributes; they may be too large", {
      cause,
    });
  }
}
