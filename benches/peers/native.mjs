/** Runs native.py as a child process. It answers one request at a time. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DATA } from "../data/datasets.mjs";

export class Native {
  #child;
  #answers;

  constructor(python) {
    const stdio = ["pipe", "pipe", "inherit"];
    this.#child = spawn(python, [join(import.meta.dirname, "native.py")], { stdio });
    this.#answers = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  /** The time in ms for decoding pieces of a store one after the other. */
  async decode(store, codec, pieces) {
    this.#child.stdin.write(
      `${JSON.stringify({ folder: join(DATA, store), codec: codec ?? null, pieces })}\n`,
    );
    const { value, done } = await this.#answers.next();
    if (done) throw new Error("native decoding has ended");
    return Number(value);
  }

  close() {
    this.#child.stdin.end();
  }
}
