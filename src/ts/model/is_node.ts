/** Whether this is Node, or a runtime like it (Deno, Bun), and not a browser. */
export const isNode = (): boolean =>
  (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node !== undefined;
