/**
 * Storage transformers of the user's, which live on the page: what Rust asks when an array is
 * bound. A function on this thread is called at once. One on the page of a worker is called by
 * message: the store that it makes stands behind an object that waits for it.
 */
import type { ArrayDefinition } from "../port/definitions.ts";
import type { Glue } from "./instances.ts";
import { jsonText } from "./marked.ts";
import { page } from "./page.ts";
import { askingMethod, storeId } from "./stores.ts";

/**
 * What Rust says of a transformer's place; JSON is text. Written by
 * `src/js/storage_transformers.rs`.
 */
interface EngineInfo {
  extension: string;
  kind: string;
  configuration?: string;
  prefix: string;
  gridShape: number[];
  separator: string;
}

/** Methods that a store on the page may have. Those that it lacks reject when they are called. */
const METHODS = ["get", "getRange", "set", "delete", "list", "size"];

/** The page knows stores of transformers by negative numbers, which the engine gives. */
let nextNumber = -1;

export class TransformerHook {
  readonly #glue: Glue;
  readonly #known: ArrayDefinition["transformers"];

  constructor(glue: Glue, known: ArrayDefinition["transformers"]) {
    this.#glue = glue;
    this.#known = known;
  }

  has(extension: string): boolean {
    return this.#known?.names.includes(extension) ?? false;
  }

  /**
   * The engine's number of the store that the user's function returns, or an object in its place.
   */
  transform({ kind, configuration, ...place }: EngineInfo, below: number): number | object {
    const { callback } = this.#known as NonNullable<ArrayDefinition["transformers"]>;
    const info = {
      ...place,
      type: jsonText(kind),
      ...(configuration !== undefined && { configuration: jsonText(configuration) }),
    };
    const link = page();
    const number = nextNumber--;
    if (link.isLocal) {
      const made = link.callNow(callback, [info, below, number]) as number | object;
      return typeof made === "number" ? storeId(this.#glue, made) : made;
    }
    const making = link.ask(callback, "transform", [info, below, number]);
    making.catch(() => {}); // every call of the store rejects with it
    return waitingStore(number, making);
  }
}

/** A store whose calls wait until the page has made it. */
function waitingStore(number: number, making: Promise<unknown>): object {
  const waiting = (name: string) => {
    const ask = askingMethod(number, name);
    return async (...args: unknown[]) => {
      await making;
      return ask(...args);
    };
  };
  return Object.fromEntries(METHODS.map((name) => [name, waiting(name)]));
}
