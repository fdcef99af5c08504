/**
 * An engine's arrays, by the page's numbers, and the form in which decode workers know them. An
 * array is bound in the wasm instance at its first call, and again after the instance was replaced.
 *
 * When Rust binds an array, the user's storage transformers run, which live on the page. A function
 * on this thread is called at once. A function on the page of a worker is called by message; until
 * it has answered, calls of its store wait.
 */
import { boundArrayShape, type FloatTable, transformerInfoShape } from "../contract.ts";
import { parseDescription, type TypeDescription } from "../model/data_type.ts";
import { ZarrError } from "../model/errors.ts";
import { readRecord } from "../model/records.ts";
import type { ArrayDefinition, DecodeBuild } from "../port/definitions.ts";
import type { DecodePools } from "./decode/pools.ts";
import type { BoundArray } from "./decode/work.ts";
import type { Glue, Handle, Instances } from "./instances.ts";
import type { PageLink } from "./page.ts";
import { askingMethod, type Stores } from "./stores.ts";

interface EngineArray {
  readonly definition: ArrayDefinition;
  /** The array as decoders know it. */
  bound: BoundArray;
  /** The array as encoders know it, under another number. */
  readonly encoding: BoundArray;
  handle?: Handle;
  /** Its data type, if the page did not know it. */
  type?: TypeDescription;
  /** The tables for its data type, once it is bound. */
  floatTables?: FloatTable[];
}

/** What arrays use of their engine. */
interface ArraysEngine {
  readonly page: PageLink;
  readonly pools: DecodePools;
  readonly instances: Instances;
  readonly stores: Stores;
}

export class Arrays {
  readonly #engine: ArraysEngine;
  readonly #arrays = new Map<number, EngineArray>();
  #nextNumber = 1;
  /**
   * The next number for a transformer's store. The engine assigns negative numbers, the page
   * positive ones.
   */
  #nextTransformer = -1;

  constructor(engine: ArraysEngine) {
    this.#engine = engine;
  }

  /** Gives an array a number by which decoders or encoders know it. */
  bound(array: Omit<BoundArray, "number">): BoundArray {
    return { ...array, number: this.#nextNumber++ };
  }

  /** Adds an array that the page defines. */
  define(number: number, definition: ArrayDefinition): void {
    const { document, build, chain, codecs } = definition;
    const warn = (message: string) => this.#engine.page.warnOfArray(message, number);
    const decoding = this.bound({ build, document, chain, codecs, warn });
    const encoding = this.bound({ ...decoding, build: "full" });
    this.#arrays.set(number, { definition, bound: decoding, encoding });
  }

  /** Removes an array that the page has released. */
  release(number: number): void {
    const array = this.#arrays.get(number);
    this.#arrays.delete(number);
    if (!array) return;
    const { pools, instances } = this.#engine;
    pools.unbind(array.bound.number);
    pools.unbind(array.encoding.number);
    const id = array.handle?.id;
    if (id !== undefined && instances.isStarted) instances.callNow((glue) => glue.releaseArray(id));
  }

  /** Removes all arrays. */
  forget(): void {
    this.#arrays.clear();
  }

  of(number: number): EngineArray {
    const array = this.#arrays.get(number);
    if (!array) throw new ZarrError("Argument", `the engine has no array with the number ${number}`);
    return array;
  }

  /** The instance's number of an array. Binds the array first if necessary. */
  id(glue: Glue, number: number): number {
    const array = this.of(number);
    const known = array.handle?.id;
    if (known !== undefined) return known;
    const { store, path, document, codecs, type, transformers } = array.definition;
    const { stores, instances } = this.#engine;
    const hook = new TransformerHook(this.#engine, {
      glue,
      known: transformers,
      next: () => this.#nextTransformer--,
    });
    const record = glue.bindArray(stores.id(glue, store), path, document, codecs?.text ?? "", hook as never);
    const bound = readRecord(boundArrayShape, record as never);
    array.handle = instances.handle(bound.array);
    // The page does not know which build these need: metadata that a caller passed in, and user
    // codecs.
    if (type === undefined || codecs) array.bound = { ...array.bound, build: bound.build as DecodeBuild };
    array.type = type ?? parseDescription(bound.dataType);
    array.floatTables = bound.floatTables;
    return bound.array;
  }

  /** The data type of an array. */
  typeOf(glue: Glue, number: number): TypeDescription {
    const array = this.of(number);
    if (!array.definition.type && !array.type) this.id(glue, number);
    return (array.definition.type ?? array.type) as TypeDescription;
  }
}

/** Methods that a store on the page may have. A call of one that it lacks rejects. */
const METHODS = ["get", "getRange", "set", "delete", "list", "size"];

/** Of one binding of an array. */
interface Binding {
  glue: Glue;
  known: ArrayDefinition["transformers"];
  /** Makes the next number for a transformer's store. */
  next: () => number;
}

class TransformerHook {
  readonly #engine: ArraysEngine;
  readonly #binding: Binding;

  constructor(engine: ArraysEngine, binding: Binding) {
    this.#engine = engine;
    this.#binding = binding;
  }

  has(extension: string): boolean {
    return this.#binding.known?.names.includes(extension) ?? false;
  }

  /** Returns the engine's number of a user's store, or an object that represents it. */
  transform(record: Uint8Array<ArrayBuffer>, below: number): number | object {
    const info = readRecord(transformerInfoShape, record);
    const { page, stores } = this.#engine;
    const { glue, known, next } = this.#binding;
    const { callback } = known as NonNullable<ArrayDefinition["transformers"]>;
    const number = next();
    if (page.isLocal) {
      const made = page.callNow(callback, [info, below, number]) as number | object;
      return typeof made === "number" ? stores.id(glue, made) : made;
    }
    const making = page.ask(callback, "transform", [info, below, number]);
    making.catch(() => {}); // every call of the store rejects with it
    return waitingStore(page, number, making);
  }
}

/** A store whose calls wait until the page has made the real one. */
function waitingStore(page: PageLink, number: number, making: Promise<unknown>): object {
  const waiting = (name: string) => {
    const ask = askingMethod(page, number, name);
    return async (...args: unknown[]) => {
      await making;
      return ask(...args);
    };
  };
  return Object.fromEntries(METHODS.map((name) => [name, waiting(name)]));
}
