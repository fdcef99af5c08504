/**
 * The conventions' own wasm module (`src/convention/` in Rust): loaded when somebody asks, and called with JSON text on the
 * caller's thread. Its calls are pure, so an instance that trapped is thrown away and the next call has a new one.
 */
import { engineModule } from "../engine/compile.ts";
import { type ErrorCode, NotFoundError, ZarrError } from "../errors.ts";

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

function instance(): Promise<ConventionExports> {
  if (!starting) {
    starting = start();
    starting.catch(() => {
      starting = undefined;
    });
  }
  return starting;
}

function call(wasm: ConventionExports, request: string): { status: number; answer: string } {
  const bytes = new TextEncoder().encode(request);
  const at = wasm.conventions_request(bytes.length) >>> 0;
  if (at === 0) throw new ZarrError("Limit", `no memory for a request of ${bytes.length} bytes`);
  new Uint8Array(wasm.memory.buffer, at, bytes.length).set(bytes);
  const status = wasm.conventions_answer(at, bytes.length);
  const [pointer, len] = [wasm.conventions_answer_ptr() >>> 0, wasm.conventions_answer_len()];
  return { status, answer: new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, pointer, len)) };
}

interface Report {
  code: ErrorCode;
  message: string;
  node?: string | null;
}

function errorOf({ code, message, node }: Report): ZarrError {
  const details = node ? { path: node } : {};
  return code === "NotFound" ? new NotFoundError(message, details) : new ZarrError(code, message, details);
}

/** What the module answers; throws its errors. */
export async function ask<T>(request: string): Promise<T> {
  const wasm = await instance();
  let reply: { status: number; answer: string };
  try {
    reply = call(wasm, request);
  } catch (cause) {
    if (!(cause instanceof ZarrError)) starting = undefined;
    throw cause instanceof ZarrError
      ? cause
      : new ZarrError("Limit", "the attributes are too much", { cause });
  }
  const value = JSON.parse(reply.answer);
  if (reply.status !== 0) throw errorOf(value as Report);
  return value as T;
}
