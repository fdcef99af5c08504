/**
 * The counters that `info()` reports. `status.ts` adds those that are counted elsewhere.
 */
import { type EngineStatus, newStatus } from "../port/protocol.ts";

export const counters: EngineStatus = newStatus();
