/**
 * The user's codecs of one part, as far as they are modules: runs them where the part is decoded,
 * beside other parts, and keeps their answers until the part is gone on with.
 */

import { type CodecEntry, entryOf } from "../../codec/entry.ts";
import { failureOf } from "../../codec/fault.ts";
import type { CodecRunner } from "../../codec/run.ts";
import type { CodecAnswer, CodecRequest } from "../../codec/site.ts";
import type { DecodeHost } from "./decode_host.ts";
import type { Failure } from "./messages.ts";

/** A codec of the user's failed. */
export class CodecFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.report);
    this.failure = failure;
  }
}

/** The codec that a module holds. Bundlers must leave the import as it is. */
export const importEntry = async (url: string): Promise<CodecEntry> =>
  entryOf(await import(/* webpackIgnore: true */ /* @vite-ignore */ url));

/** What was thrown, as it can be posted. */
function postable({ report, cause }: Failure): Failure {
  try {
    return { report, cause: structuredClone(cause) };
  } catch {
    return { report, cause: new Error(String(cause)) };
  }
}

export class PartCodecs {
  readonly #part: number;
  readonly #modules: Record<string, string>;
  readonly #runner: CodecRunner;
  readonly #notify: () => void;
  #answers: CodecAnswer[] = [];
  #failure: Failure | undefined;
  #running = 0;
  #requests: CodecRequest[] = [];

  /** `notify` is called when codecs have answered, or one has failed. */
  constructor(part: number, modules: Record<string, string>, runner: CodecRunner, notify: () => void) {
    this.#part = part;
    this.#modules = modules;
    this.#runner = runner;
    this.#notify = notify;
  }

  /** Goes on with the part as far as there are answers; tells whether others are missing. */
  proceed(host: DecodeHost, answers: CodecAnswer[]): boolean {
    if (this.#failure) throw new CodecFailure(postable(this.#failure));
    const all = [...answers, ...this.#answers];
    this.#answers = [];
    for (const answer of all) host.answer(this.#part, answer);
    if (all.length > 0) host.resume(this.#part);
    for (const request of host.requests(this.#part)) {
      if (this.#modules[request.site.registered] === undefined) this.#requests.push(request);
      else void this.#run(request);
    }
    return host.isWaiting(this.#part);
  }

  /** Whether a codec is at work here. */
  get isRunning(): boolean {
    return this.#running > 0;
  }

  /** What is for the caller's thread to run. */
  takeRequests(): CodecRequest[] {
    return this.#requests.splice(0);
  }

  async #run(request: CodecRequest): Promise<void> {
    this.#running += 1;
    try {
      const bytes = await this.#runner.run(request);
      // Only now: while it ran, `proceed` may have taken the list and begun another.
      this.#answers.push({ id: request.id, bytes });
    } catch (thrown) {
      this.#failure ??= failureOf(request, thrown);
    }
    this.#running -= 1;
    if (this.#running === 0 || this.#failure) this.#notify();
  }
}
