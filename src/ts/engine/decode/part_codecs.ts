/**
 * Runs the user's codecs of one part that are modules. They run where the part is decoded, beside
 * other parts. Their answers are kept until the part goes on.
 */

import { failureOf } from "../../codec/fault.ts";
import type { CodecRunner } from "../../codec/run.ts";
import { type CodecAnswer, type CodecEntry, type CodecRequest, entryOf } from "../../codec/site.ts";
import type { DecodeHost } from "./decode_host.ts";
import type { Failure } from "./messages.ts";

/** A user's codec failed. */
export class CodecFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.report);
    this.failure = failure;
  }
}

/** Imports a codec's module. Bundlers must not rewrite the import. */
export const importEntry = async (url: string): Promise<CodecEntry> =>
  entryOf(await import(/* webpackIgnore: true */ /* @vite-ignore */ url));

/** Makes a failure that can be posted: an unclonable cause becomes an `Error`. */
function postable({ report, cause }: Failure): Failure {
  try {
    return { report, cause: structuredClone(cause) };
  } catch {
    return { report, cause: new Error(String(cause)) };
  }
}

export class PartCodecs {
  readonly #part: number;
  readonly #modules: ReadonlyMap<string, string>;
  readonly #runner: CodecRunner;
  readonly #notify: () => void;
  #answers: CodecAnswer[] = [];
  #failure: Failure | undefined;
  #running = 0;
  #requests: CodecRequest[] = [];

  /** `notify` is called when the codecs have answered or one has failed. */
  constructor(part: number, modules: ReadonlyMap<string, string>, runner: CodecRunner, notify: () => void) {
    this.#part = part;
    this.#modules = modules;
    this.#runner = runner;
    this.#notify = notify;
  }

  /** Continues the part with the answers so far. Returns whether more are missing. */
  proceed(host: DecodeHost, answers: CodecAnswer[]): boolean {
    if (this.#failure) throw new CodecFailure(postable(this.#failure));
    const all = [...answers, ...this.#answers];
    this.#answers = [];
    for (const answer of all) host.answer(this.#part, answer);
    if (all.length > 0) host.resume(this.#part);
    for (const request of host.requests(this.#part)) {
      if (!this.#modules.has(request.site.registered)) this.#requests.push(request);
      else void this.#run(request);
    }
    return host.isWaiting(this.#part);
  }

  /** Whether a codec runs here. */
  get isRunning(): boolean {
    return this.#running > 0;
  }

  /** The requests for codecs that run on the page. */
  takeRequests(): CodecRequest[] {
    return this.#requests.splice(0);
  }

  async #run(request: CodecRequest): Promise<void> {
    this.#running += 1;
    try {
      const bytes = await this.#runner.run(request);
      // Read the list only now, because `proceed` may have replaced it meanwhile.
      this.#answers.push({ id: request.id, bytes });
    } catch (thrown) {
      this.#failure ??= failureOf(request, thrown);
    }
    this.#running -= 1;
    if (this.#running === 0 || this.#failure) this.#notify();
  }
}
