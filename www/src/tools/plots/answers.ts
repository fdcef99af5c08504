/**
 * The answers that the plots show, one for each plot of a mark. A new question for the same aborts
 * the old one. The old answer stays until the new one begins to arrive.
 */
import { isAbort } from "../../model/text/errors.js";

export interface Question {
  /** Where its answer is shown. */
  id: string;
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
  readonly #byId = new Map<string, Answer>();

  /** Reads what is asked, and aborts everything else. */
  ask(questions: readonly Question[]): void {
    for (const [id, { stop }] of this.#byId) {
      if (questions.some((question) => question.id === id)) continue;
      stop();
      this.#byId.delete(id);
    }
    for (const question of questions) {
      const before = this.#byId.get(question.id);
      if (before?.key === question.key) continue;
      before?.stop();
      this.#begin(question, before);
    }
  }

  at(id: string): Answer | undefined {
    return this.#byId.get(id);
  }

  #begin({ id, key, run }: Question, before: Answer | undefined): void {
    const controller = new AbortController();
    const { signal } = controller;
    const answer: Answer = { key, value: before?.value, isReading: true, stop: () => controller.abort() };
    this.#byId.set(id, answer);
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
