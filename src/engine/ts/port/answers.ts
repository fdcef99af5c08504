/**
 * What the engine gets of the answers of users' stores: plain values that are the engine's own.
 * Bytes are copied as soon as a store has answered, on one thread and for a worker, because the
 * store may use its memory again, and a transfer would empty it. What a store answers may be
 * anything: a proxy, bytes whose buffer was transferred, an object whose getters throw.
 */

import { viewBytes } from "../model/memory.ts";
import { asked } from "../model/realms.ts";
import { STORE_METHODS } from "./definitions.ts";

/** The page's answer, and the buffers to transfer with it. */
export interface Performed {
  value: unknown;
  transfer: ArrayBuffer[];
  /** Size in bytes of the whole value from which a range was read, if the store reports it. */
  size?: number;
  /** The version of that value, if the store reports it. */
  version?: string;
}

/**
 * The properties in which a store reports the size and the version of a file with a range of it
 * (`files/folders.ts`).
 */
const SIZE = Symbol.for("zarr-wasm.size");
const VERSION = Symbol.for("zarr-wasm.version");

export const isObject = (value: unknown) => Object(value) === value;

/** What the engine refuses instead of what cannot cross, or cannot be read. */
const plainOf = (value: unknown) => (isObject(value) || typeof value === "symbol" ? {} : value);

/**
 * Bytes for the engine. `isFresh`: the store does not keep them. A `DataView` is made of buffers
 * alone.
 */
function ownBytes(value: unknown, isFresh: boolean, isLocal: boolean): Performed {
  const bytes = asked(() =>
    viewBytes(ArrayBuffer.isView(value) ? value : new DataView(value as ArrayBuffer)),
  );
  if (!bytes) return { value: plainOf(value), transfer: [] };
  if (isFresh && isLocal) return { value, transfer: [] };
  const isWhole = isFresh && bytes.byteLength === bytes.buffer.byteLength;
  // Memory for a copy is not cleared first.
  const own = (isWhole ? bytes : new Uint8Array(bytes)) as Uint8Array<ArrayBuffer>;
  const facts = value as { [SIZE]?: number; [VERSION]?: string };
  const state = asked(() => ({ size: facts[SIZE], version: facts[VERSION] }));
  return { value: own, transfer: isLocal ? [] : [own.buffer], ...state };
}

/** The answer of a method of a user's store, as the engine gets it. */
export function answered(method: string, value: unknown, isFresh: boolean, isLocal: boolean): Performed {
  const use = STORE_METHODS[method];
  // Other methods are those of the page itself.
  if (use === undefined || use === "lists") return { value, transfer: [] };
  if (use === "reads" && method !== "size") return ownBytes(value, isFresh, isLocal);
  // The methods of a `Map` that write return the map.
  return { value: use === "reads" || method === "lockFor" ? plainOf(value) : undefined, transfer: [] };
}
