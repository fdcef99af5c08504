/** Tells the page's copy of the counters when they have changed. */
import type { EngineStatus } from "../port/protocol.ts";
import { engineStatus } from "./status.ts";

export class StatusReporter {
  #last = "";

  /** The counters, unless they are as they were. */
  changed(): EngineStatus | undefined {
    const status = engineStatus();
    const text = JSON.stringify(status);
    if (text === this.#last) return undefined;
    this.#last = text;
    return status;
  }
}
