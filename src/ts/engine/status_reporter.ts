/**
 * Detects changed counters, so that the engine sends them only then.
 */
import type { EngineStatus } from "../port/protocol.ts";
import { engineStatus } from "./status.ts";

export class StatusReporter {
  #last = "";

  /** The counters; undefined if they have not changed since the last call. */
  changed(): EngineStatus | undefined {
    const status = engineStatus();
    const text = JSON.stringify(status);
    if (text === this.#last) return undefined;
    this.#last = text;
    return status;
  }
}
