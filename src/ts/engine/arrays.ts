/**
 * The engine's arrays, by the page's numbers, and the form in which decode workers know them. An
 * array is bound in the wasm instance at its first call, and again after the instance was replaced.
 *
 * When Rust binds an array, the user's storage transformers run, which live on the page. A function
 * on this thread is called at once. A function on the page of a worker is called by message; until
 * it has answered, calls of its store wait.
 */
import { parseDescription, type TypeDescription } from "../model/data_type.ts";
import { ZarrError } from "../model/errors.ts";
import type { DecodeBuild } from "../model/node_summary.ts";
import type { ArrayDefinition } from "../port/definitions.ts";
import type { TransformerPlace } from "../port/protocol.ts";
import type { BoundArray } from "./decode/pool.ts";
import { unbindArray } from "./decode/pools.ts";
import { callNow, type Glue, Handle, hasInstance } from "./instances.ts";
import { jsonText } from "./marked.ts";
import { page } from "./page.ts";
import { askingMethod, storeId } from "./stores.ts";

interface EngineArray {
  readonly definition: ArrayDefinition;
  /** The array as decoders know it. */
  bound: BoundArray;
  /** The array as encoders know it, under another number. */
  readonly encoding: BoundArray;
  handle?: Handle;
  /** Its data type, if the page did not know it. */
  type?: TypeDescription;
}

const arrays = new Map<number, EngineArray>();
let nextNumber = 1;

/** Gives an array a number by which decoders or encoders know it. */
export const bound = (array: Omit<BoundArray, "number">): BoundArray => ({ ...array, number: nextNumber++ });

/** Adds an array that the page defines. */
export function defineArray(number: number, definition: ArrayDefinition): void {
  const { document, build, chain, codecs } = definition;
  const warn = (message: string) => page().warnOfArray(message, number);
  const decoding = bound({ build, document, chain, codecs, warn });
  arrays.set(number, { definition, bound: decoding, encoding: bound({ ...decoding, build: "full" }) });
}

/** Removes an array that the page has released. */
export function releaseArray(number: number): void {
  const array = arrays.get(number);
  arrays.delete(number);
  if (!array) return;
  unbindArray(array.bound.number);
  unbindArray(array.encoding.number);
  const id = array.handle?.id;
  if (id !== undefined && hasInstance()) callNow((glue) => glue.releaseArray(id));
}

/** Removes all arrays. */
export const forgetArrays = (): void => arrays.clear();

export function arrayOf(number: number): EngineArray {
  const array = arrays.get(number);
  if (!array) throw new ZarrError("Argument", `the engine has no array with the number ${number}`);
  return array;
}

/** The instance's number of an array. Binds the array first if necessary. */
export function arrayId(glue: Glue, number: number): number {
  const array = arrayOf(number);
  const known = array.handle?.id;
  if (known !== undefined) return known;
  const { store, path, document, codecs, type, transformers } = array.definition;
  const hook = new TransformerHook(glue, transformers);
  const id = glue.bindArray(storeId(glue, store), path, document, codecs?.text ?? "", hook as never);
  array.handle = new Handle(id);
  // The page does not know which build these need: metadata that a caller passed in, and user
  // codecs.
  if (type === undefined || codecs)
    array.bound = { ...array.bound, build: glue.decodeBuild(id) as DecodeBuild };
  return id;
}

/** The data type of an array. */
export function typeOf(glue: Glue, number: number): TypeDescription {
  const array = arrayOf(number);
  if (array.definition.type) return array.definition.type;
  array.type ??= parseDescription(glue.describeType(arrayId(glue, number)));
  return array.type;
}

/**
 * A transformer and its place: see `src/engine/js/storage_transformers.rs`. JSON is text.
 */
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
let nextTransformer = -1;

class TransformerHook {
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
    const number = nextTransformer--;
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
