/**
 * Sends requests to the conventions' module (`src/conventions/rust/` in Rust), which the engine
 * runs. Requests and answers are JSON; those of warping are binary numbers.
 */

import type { ConventionQuestions, ConventionsCalls } from "../../../contract/contract.ts";
import { viewBytes } from "../model/memory.ts";
import { newDecoder, newEncoder } from "../model/utf8.ts";
import { call } from "./engine.ts";

/** The members of a question, each as JSON. One that is undefined is missing. */
type Texts<Question> = { [Member in keyof Question]: string | undefined };

/** Asks the module, and returns the parsed answer. Rejects with its error. */
export async function ask<Name extends keyof ConventionQuestions>(
  name: Name,
  question: Texts<ConventionQuestions[Name]["takes"]>,
): Promise<ConventionQuestions[Name]["gives"]> {
  const members = Object.entries({ operation: `"${name}"`, ...question });
  const request = `{${members.map(([member, text]) => `"${member}":${text ?? null}`)}}`;
  const answer = await call("convention", () => ({ call: "answer", request: newEncoder().encode(request) }));
  return JSON.parse(newDecoder().decode(answer));
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
