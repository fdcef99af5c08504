/**
 * Opens the variables in the group of an array that belong to it by name: coordinates and grid
 * mappings. Each is opened once.
 */
import type { Array as ZarrArray } from "../api/array.ts";
import { Location } from "../api/location.ts";
import { type ArrayFacts, FACTS } from "../api/node_facts.ts";
import { openerBeside } from "../api/open.ts";
import { NotFoundError } from "../model/errors.ts";
import type { AbsolutePath, DataType, Readable } from "../model/types.ts";
import { unlessAborted } from "../model/unless_aborted.ts";
import { isKnownAbsent, parentOf } from "./known_nodes.ts";

type AnyArray = ZarrArray<DataType, Readable>;

const isAbsent = (error: unknown) => error instanceof NotFoundError;

/**
 * The opened variables beside an array, by name. The key is the array's facts, because `refresh`
 * and every change replace them.
 */
const variables = new WeakMap<ArrayFacts, Map<string, Promise<AnyArray | undefined>>>();

/** The array with this name in the group of `array`. It is opened once. Undefined if absent. */
export function besideOf(
  array: AnyArray,
  name: string,
  signal: AbortSignal | undefined,
): Promise<AnyArray | undefined> {
  const facts = array[FACTS];
  const opened = variables.get(facts) ?? new Map<string, Promise<AnyArray | undefined>>();
  variables.set(facts, opened);
  const before = opened.get(name);
  if (before) return unlessAborted(before, signal);
  const opening = openBeside(array, name);
  opened.set(name, opening);
  // An absent variable may be created later, so only existing ones are remembered.
  const forget = (found?: AnyArray) => found ?? opened.delete(name);
  opening.then(forget, () => forget());
  return unlessAborted(opening, signal);
}

async function openBeside(array: AnyArray, name: string): Promise<AnyArray | undefined> {
  const folder = parentOf(array.path);
  const path = `${folder === "/" ? "" : folder}/${name}`;
  if (path === array.path) return array;
  // A name with a slash is not a sibling.
  if (name === "" || name === "." || name === ".." || name.includes("/")) return undefined;
  if (isKnownAbsent(array.store, path)) return undefined;
  try {
    const place = new Location(array.store, path as AbsolutePath);
    return await openerBeside(array)(place, { kind: "array" });
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
