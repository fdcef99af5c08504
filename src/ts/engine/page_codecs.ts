/**
 * The user's codecs of an array. Codecs that are modules run in the decode workers, the others on
 * the page.
 */
import { failureOf } from "../codec/fault.ts";
import type { CodecRequest } from "../codec/site.ts";
import type { CodecResult } from "../port/callbacks.ts";
import type { CodecsDefinition } from "../port/definitions.ts";
import type { Failure } from "./decode/messages.ts";
import { page } from "./page.ts";

/** Runs a codec that is a function on the page. Rejects with a `Failure`. */
export async function runOnPage(
  { runner }: CodecsDefinition,
  request: CodecRequest,
): Promise<Uint8Array<ArrayBuffer>> {
  let answer: CodecResult;
  try {
    answer = (await page().ask(runner, "run", [request])) as CodecResult;
  } catch (thrown) {
    throw failureOf(request, thrown);
  }
  if ("report" in answer) throw { report: answer.report } satisfies Failure;
  return answer;
}
