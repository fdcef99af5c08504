/**
 * Sends the engine's warnings to the page, which counts them and calls `onWarning`.
 */
import { page } from "./page.ts";

/**
 * Issues a warning. `path` is the node or address that it concerns; `store` is the store that keeps
 * it.
 */
export const warn = (message: string, path: string, store?: number): void =>
  page().warn(message, path, store);
