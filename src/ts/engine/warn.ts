/** Warnings of the engine's own: the page counts them and tells `onWarning`. */
import { page } from "./page.ts";

/**
 * Tells of something; `path` is the node or the address that it is about, `store` the store that
 * keeps the warning.
 */
export const warn = (message: string, path: string, store?: number): void =>
  page().warn(message, path, store);
