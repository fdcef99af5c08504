/**
 * Runs the user's storage transformers, which live on the page, when Rust binds an array. A
 * function on this thread is called at once. A function on the page of a worker is called by
 * message; until it has answered, calls of its store wait.
 */
import type { TransformerPlace } from "../port/callbacks.ts";
import type { ArrayDefinition } from "../port/definitions.ts";
import type { Glue } from "./instances.ts";
import { jsonText } from "./marked.ts";
import { page } from "./page.ts";
import { askingMethod, storeId } from "./stores.ts";

/** A transformer and its place, as `src/engine/js/storage_transformers.rs` passes them. JSON is text. */
interface EngineInfo extends Omit<TransformerPlace, "type" | "configuration"> {
  kind: string;
  configuration?: string;
}

/** Methods that a store on the page may have. A call of one that it lacks rejects. */
const METHODS = ["get", "getRange", "set", "delete", "list", "size"];

/**
 * The next number for a transformer's store. The engine assigns negative numbers, the page positive
 * ones.
 */
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

  /** Returns the engine's number of a user's store, or an object that represents it. */
  transform({ kind, configuration, ...place }: EngineInfo, below: number): number | object {
    const { callback } = this.#known as NonNullable<ArrayDefinition["transformers"]>;
    const info: TransformerPlace = {
      ...place,
      type: jsonText(kind),
      configuration: configuration === undefined ? undefined : jsonText(configuration),
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

/** A store whose calls wait until the page has made the real one. */
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
