/**
 * The answers that the plots show, one for each place in them. A new question for a place aborts
 * the old one. The old answer stays until the new one begins to arrive.
 */
import { isAbort } from "../../model/text/errors.js";

export interface Question {
  /** Where its answer is shown. */
  place: string;
  /** Questions with the same key have the same answer. */
  key: string;
  /** Reads the answer, and tells it while it grows. */
  run(signal: AbortSignal, tell: (answer: unknown) => void): Promise<unknown>;
}

export interface Answer {
  key: string;
  /** Undefined until something of it is there. */
  value?: unknown;
  error?: unknown;
  isReading: boolean;
  stop: () => void;
}

export class Answers {
  /** Something has arrived. */
  onChange: () => void = () => {};
  readonly #byPlace = new Map<string, Answer>();

  /** Reads what is asked, and aborts everything else. */
  ask(questions: readonly Question[]): void {
    for (const [place, { stop }] of this.#byPlace) {
      if (questions.some((question) => question.place === place)) continue;
      stop();
      this.#byPlace.delete(place);
    }
    for (const question of questions) {
      const before = this.#byPlace.get(question.place);
      if (before?.key === question.key) continue;
      before?.stop();
      this.#begin(question, before);
    }
  }

  at(place: string): Answer | undefined {
    return this.#byPlace.get(place);
  }

  #begin({ place, key, run }: Question, before: Answer | undefined): void {
    const controller = new AbortController();
    const { signal } = controller;
    const answer: Answer = { key, value: before?.value, isReading: true, stop: () => controller.abort() };
    this.#byPlace.set(place, answer);
    const change = (changed: Partial<Answer>) => {
      if (signal.aborted) return;
      Object.assign(answer, changed);
      this.onChange();
    };
    run(signal, (value) => change({ value })).then(
      (value) => change({ value, isReading: false }),
      (error: unknown) => {
        if (!isAbort(error)) change({ value: undefined, error, isReading: false });
      },
    );
  }
}
