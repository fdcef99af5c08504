/**
 * Sends requests to the conventions' module (`src/conventions/` in Rust), which the engine runs.
 * Requests and answers are JSON; those of warping are binary numbers.
 */

import { type ErrorCode, NotFoundError, ZarrError } from "../model/errors.ts";
import { viewBytes } from "../model/memory.ts";
import { newDecoder } from "../model/utf8.ts";
import { call } from "./engine.ts";

interface Report {
  code: ErrorCode;
  message: string;
  node?: string | null;
}

function errorOf({ code, message, node }: Report): ZarrError {
  const details = node ? { path: node } : {};
  return code === "NotFound" ? new NotFoundError(message, details) : new ZarrError(code, message, details);
}

/** Sends a request and returns the parsed answer. Rejects with the module's error. */
export async function ask<T>(request: string): Promise<T> {
  const { status, answer } = await call("convention", () => ({ request }));
  const value = JSON.parse(answer);
  if (status !== 0) throw errorOf(value as Report);
  return value as T;
}

/** The bytes of numbers, and of blocks behind them. */
export function questionOf(numbers: Iterable<number>, blocks: readonly ArrayBufferView[]): Uint8Array {
  const all = [Float64Array.from(numbers), ...blocks];
  const question = new Uint8Array(all.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let end = 0;
  for (const block of all) {
    question.set(viewBytes(block), end);
    end += block.byteLength;
  }
  return question;
}

/**
 * The module's answer to a question of numbers, and blocks behind them. Rejects with its errors.
 */
export async function askNumbers(
  numbers: Iterable<number>,
  blocks: readonly ArrayBufferView[] = [],
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const request = questionOf(numbers, blocks);
  const { status, answer } = await call("numbers", () => ({ request }), { signal });
  if (status !== 0) throw errorOf(JSON.parse(newDecoder().decode(answer)) as Report);
  return answer;
}
