/**
 * Node, and runtimes like it (Deno, Bun): whether this is one, and the modules that it has itself.
 */
const processOf = () =>
  (
    globalThis as {
      process?: { versions?: { node?: string }; getBuiltinModule?(name: string): unknown };
    }
  ).process;

/** Whether this is Node, or a runtime like it, and not a browser. */
export const isNode = (): boolean => processOf()?.versions?.node !== undefined;

/**
 * A module of Node; undefined elsewhere. It is looked up at run time, so that bundlers for browsers
 * see no import and users need no types of Node.
 */
export const nodeModule = (name: string): unknown => processOf()?.getBuiltinModule?.(name);
