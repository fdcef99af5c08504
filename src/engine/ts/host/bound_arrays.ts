/**
 * An engine's arrays, by the page's ids. The wasm and the decoders know them by the same. An
 * array is bound in the wasm instance at its first call, and again after the instance was replaced.
 *
 * When Rust binds an array, the user's storage transformers run, which live on the page. A function
 * on this thread is called at once. A function on the page of a worker is called by message; until
 * it has answered, calls of its store wait.
 */
import {
  arrayToBindShape,
  boundArrayShape,
  type DecodeBuild,
  type FloatTable,
  transformerInfoShape,
} from "../../../contract/contract.ts";
import { parseDescription, type TypeDescription } from "../model/data_type.ts";
import { ZarrError } from "../model/errors.ts";
import { RecordWriter, readRecord } from "../model/records.ts";
import type { ArrayDefinition } from "../port/definitions.ts";
import type { DecodePools } from "./decode/pool_choice.ts";
import type { BoundArray } from "./decode/work.ts";
import type { Glue, Instances } from "./instance_switch.ts";
import type { PageLink } from "./page.ts";
import { askingMethod, type Stores } from "./stores.ts";

interface EngineArray {
  readonly definition: ArrayDefinition;
  /** The array as decoders know it. */
  bound: BoundArray;
  /** Its data type, if the page did not know it. */
  type?: TypeDescription;
  /** The tables for its data type, once it is bound. */
  floatTables?: FloatTable[];
}

/** What arrays use of their engine. */
interface ArraysEngine {
  newId(): number;
  readonly page: PageLink;
  readonly pools: DecodePools;
  readonly instances: Instances;
  readonly stores: Stores;
}

export class Arrays {
  readonly #engine: ArraysEngine;
  readonly #arrays = new Map<number, EngineArray>();

  constructor(engine: ArraysEngine) {
    this.#engine = engine;
  }

  /** Adds an array that the page defines. */
  define(id: number, definition: ArrayDefinition): void {
    const { document, build, chain, codecs } = definition;
    const warn = (message: string) => this.#engine.page.warnOfArray(message, id);
    this.#arrays.set(id, { definition, bound: { id, build, document, chain, codecs, warn } });
  }

  /** Removes an array that the page has released. */
  release(id: number): void {
    this.#arrays.delete(id);
    const { pools, instances } = this.#engine;
    pools.unbind(id);
    instances.release(id);
  }

  /** Removes all arrays. */
  forget(): void {
    this.#arrays.clear();
  }

  of(id: number): EngineArray {
    const array = this.#arrays.get(id);
    if (!array) throw new ZarrError("Argument", `the engine has no array with the number ${id}`);
    return array;
  }

  /** Binds an array in the instance, unless it is bound there. */
  bind(glue: Glue, id: number): void {
    const array = this.of(id);
    if (glue.isKept(id)) return;
    const { path, document, codecs, type, transformers } = array.definition;
    const store = this.#engine.stores.bind(glue, array.definition.store);
    const record = new RecordWriter([]);
    arrayToBindShape.write(record, { array: id, store, path, document, codecs: codecs?.text ?? "" });
    const hook = new TransformerHook(this.#engine, glue, transformers);
    const bound = readRecord(boundArrayShape, glue.bindArray(record.bytes, hook as never) as never);
    // The page does not know which build these need: metadata that a caller passed in, and user
    // codecs.
    if (type === undefined || codecs) array.bound = { ...array.bound, build: bound.build as DecodeBuild };
    array.type = type ?? parseDescription(bound.dataType);
    array.floatTables = bound.floatTables;
  }

  /** The data type of an array. */
  typeOf(glue: Glue, id: number): TypeDescription {
    const array = this.of(id);
    if (!array.definition.type && !array.type) this.bind(glue, id);
    return (array.definition.type ?? array.type) as TypeDescription;
  }
}

/** Methods that a store on the page may have. A call of one that it lacks rejects. */
const METHODS = ["get", "getRange", "set", "delete", "list", "size"];

/** What Rust asks of the page's storage transformers while it binds an array. */
class TransformerHook {
  readonly #engine: ArraysEngine;
  readonly #glue: Glue;
  readonly #known: ArrayDefinition["transformers"];

  constructor(engine: ArraysEngine, glue: Glue, known: ArrayDefinition["transformers"]) {
    this.#engine = engine;
    this.#glue = glue;
    this.#known = known;
  }

  has(extension: string): boolean {
    return this.#known?.names.includes(extension) ?? false;
  }

  newId(): number {
    return this.#engine.newId();
  }

  /** Returns the id of a user's store, or an object that represents it. */
  transform(record: Uint8Array<ArrayBuffer>, below: number): number | object {
    const info = readRecord(transformerInfoShape, record);
    const { page, stores } = this.#engine;
    const { callback } = this.#known as NonNullable<ArrayDefinition["transformers"]>;
    const id = this.newId();
    if (page.isLocal) {
      const made = page.callNow(callback, [info, below, id]) as number | object;
      return typeof made === "number" ? stores.bind(this.#glue, made) : made;
    }
    const making = page.ask(callback, "transform", [info, below, id]);
    making.catch(() => {}); // every call of the store rejects with it
    return waitingStore(page, id, making);
  }
}

/** A store whose calls wait until the page has made the real one. */
function waitingStore(page: PageLink, id: number, making: Promise<unknown>): object {
  const waiting = (name: string) => {
    const ask = askingMethod(page, id, name);
    return async (...args: unknown[]) => {
      await making;
      return ask(...args);
    };
  };
  return Object.fromEntries(METHODS.map((name) => [name, waiting(name)]));
}
