/**
 * The user's codecs of an array. Codecs that are modules run in the decode workers, the others on
 * the page.
 */
import { failureOf } from "../codec/fault.ts";
import type { CodecRequest } from "../codec/site.ts";
import type { CodecsDefinition } from "../port/definitions.ts";
import type { Failure } from "./decode/messages.ts";
import { page } from "./page.ts";

/** The user's codecs of one array. */
export interface ArrayCodecs {
  /** The codecs as JSON text; read by `src/format/codec/user/registered.rs`. */
  text: string;
  /** URLs of the codecs that are modules, by registered name. */
  modules: ReadonlyMap<string, string>;
  /** Runs a codec on the page. Rejects with a `Failure`. */
  run(request: CodecRequest): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * The answer of the page's runner: bytes, or the report of a codec that returned an invalid value.
 */
type RunAnswer = Uint8Array<ArrayBuffer> | { report: string };

async function runOnPage(runner: number, request: CodecRequest): Promise<Uint8Array<ArrayBuffer>> {
  let answer: RunAnswer;
  try {
    answer = (await page().ask(runner, "run", [request])) as RunAnswer;
  } catch (thrown) {
    throw failureOf(request, thrown);
  }
  if ("report" in answer) throw { report: answer.report } satisfies Failure;
  return answer;
}

export const codecsOf = ({ text, modules, runner }: CodecsDefinition): ArrayCodecs => ({
  text,
  modules,
  run: (request) => runOnPage(runner, request),
});
