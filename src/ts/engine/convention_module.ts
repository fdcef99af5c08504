/**
 * The conventions' own wasm module (`src/convention/` in Rust): loaded when somebody asks, and called with JSON text on the
 * caller's thread. Its calls are pure, so an instance that trapped is thrown away and the next call has a new one.
 */
import { engineModule } from "./compile.ts";
import { type ErrorCode, NotFoundError, ZarrError } from "../model/errors.ts";

/** The exports of `src/js/convention_host.rs`. */
interface ConventionExports {
  memory: WebAssembly.Memory;
  conventions_request(len: number): number;
  conventions_answer(request: number, len: number): number;
  conventions_answer_ptr(): number;
  conventions_answer_len(): number;
}

let starting: Promise<ConventionExports> | undefined;
let compiled: WebAssembly.Module | undefined;

async function start(): Promise<ConventionExports> {
  compiled = await engineModule("conventions");
  const instance = await WebAssembly.instantiate(compiled, {});
  return instance.exports as unknown as ConventionExports;
}

/** An instance in place of one that trapped, from a module that is there; browsers compile large ones asynchronously alone. */
function restarted(): ConventionExports {
  if (!compiled) throw new ZarrError("Argument", "the conventions' module has not been asked before");
  return new WebAssembly.Instance(compiled, {}).exports as unknown as ConventionExports;
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

/** The instance of the last start, while it lives. */
let running: ConventionExports | undefined;

/** What the module answers; throws its errors. */
export async function ask<T>(request: string): Promise<T> {
  running = await instance();
  return askNow<T>(request);
}

/** The same at once, of a module that was asked before. */
export function askNow<T>(request: string): T {
  running ??= restarted();
  let reply: { status: number; answer: string };
  try {
    reply = call(running, request);
  } catch (cause) {
    if (!(cause instanceof ZarrError)) {
      starting = undefined;
      running = undefined;
    }
    throw cause instanceof ZarrError
      ? cause
      : new ZarrError("Limit", "the attributes are too much", { cause });
  }
  const value = JSON.parse(reply.answer);
  if (reply.status !== 0) throw errorOf(value as Report);
  return value as T;
}
