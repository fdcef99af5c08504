/**
 * Sends requests to the conventions' module (`src/conventions/rust/` in Rust), which the engine
 * runs. Requests and answers are JSON; those of warping are binary numbers.
 */

import type { ConventionsCalls } from "../../../contract/contract.ts";
import { viewBytes } from "../model/memory.ts";
import { newDecoder, newEncoder } from "../model/utf8.ts";
import { call } from "./engine.ts";

/** Sends a request and returns the parsed answer. Rejects with the module's error. */
export async function ask<T>(request: string): Promise<T> {
  const answer = await call("convention", () => ({ call: "answer", request: newEncoder().encode(request) }));
  return JSON.parse(newDecoder().decode(answer)) as T;
}

/** The bytes of numbers, and of blocks behind them. */
function questionOf(numbers: Iterable<number>, blocks: readonly ArrayBufferView[]): Uint8Array {
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
  name: Exclude<keyof ConventionsCalls, "answer">,
  numbers: Iterable<number>,
  blocks: readonly ArrayBufferView[] = [],
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  return call("convention", () => ({ call: name, request: questionOf(numbers, blocks) }), { signal });
}
