/**
 * The variables that belong to an array: the coordinates of its dimensions, and what its attributes
 * name (`coordinates`, `bounds`, `grid_mapping`). They are found as CF says (1.8, section 2.7): a
 * path is absolute, or relative to the group of the attribute. A name is searched for in that
 * group, and then in the groups above it. Each variable is opened once, also for concurrent calls.
 */
import type { AnyArray } from "../../api/array.ts";
import { consolidatedChildren } from "../../api/consolidated_children.ts";
import { Location } from "../../api/location.ts";
import { type ArrayFacts, FACTS } from "../../api/node_facts.ts";
import { openerBeside } from "../../api/open.ts";
import { NotFoundError, shown, ZarrError } from "../../engine/ts/model/errors.ts";
import { below, nameOf, parentOf } from "../../engine/ts/model/node_like.ts";
import { onceFor } from "../../engine/ts/model/once.ts";
import type { AbsolutePath } from "../../engine/ts/model/types.ts";
import { unlessAborted } from "../../engine/ts/model/waiting.ts";
import { isKnownAbsent } from "./known_nodes.ts";

/** Number of groups that are searched for a name: that of the array, and those above it. */
const MAX_GROUPS = 16;

/** Versions of CF that have groups. */
const CF_WITH_GROUPS = /\bCF-(1\.(8|9|[1-9]\d)|[2-9])/;

/**
 * The opened variables of an array, by path. The key is the array's facts, because `refresh` and
 * every change replace them.
 */
const variables = new WeakMap<ArrayFacts, Map<string, Promise<AnyArray | undefined>>>();

/** What searches for names found, by the path of the name in the first group. */
const searches: typeof variables = new WeakMap();

const undefinedIfAbsent = (error: unknown): undefined => {
  if (error instanceof NotFoundError) return undefined;
  throw error;
};

/** The array at a path in the store of `array`. Undefined if absent. */
async function arrayAt(array: AnyArray, path: AbsolutePath): Promise<AnyArray | undefined> {
  if (path === array.path) return array;
  if (isKnownAbsent(array.store, path)) return undefined;
  const opener = openerBeside(array);
  const open = () => opener(new Location(array.store, path), { kind: "array" }).catch(undefinedIfAbsent);
  return onceFor(variables, [array[FACTS], path], open);
}

/** The first array of this name in a group and in those above it. */
function nearest(array: AnyArray, group: AbsolutePath, name: string): Promise<AnyArray | undefined> {
  const search = async () => {
    let above = group;
    for (let step = 0; step < MAX_GROUPS; step += 1) {
      const found = await arrayAt(array, below(above, name));
      if (found || above === "/") return found;
      above = parentOf(above);
    }
    return undefined;
  };
  return onceFor(searches, [array[FACTS], below(group, name)], search);
}

/** The only array of this name in the uppermost of the groups below one that have it. */
function onlyBelow(array: AnyArray, apex: AbsolutePath, name: string): AbsolutePath | undefined {
  let groups: readonly AbsolutePath[] = [apex];
  while (groups.length > 0) {
    const inside = groups.flatMap((group) => consolidatedChildren(array.store, group) ?? []);
    const named = inside.filter((path) => nameOf(path) === name);
    if (named.length > 0) return named.length === 1 ? named[0] : undefined;
    groups = inside;
  }
  return undefined;
}

/**
 * CF's lateral search for a coordinate variable: downwards from the groups above, the nearest one
 * first. Zarr has no dimensions that groups share, so it is done only where the root declares a CF
 * that has groups, and where one variable alone can be meant. It needs consolidated metadata.
 */
async function lateral(array: AnyArray, name: string): Promise<AnyArray | undefined> {
  if (consolidatedChildren(array.store, "/") === undefined) return undefined;
  const location = new Location(array.store, "/");
  const root = await openerBeside(array)(location, { kind: "group" }).catch(undefinedIfAbsent);
  if (!CF_WITH_GROUPS.test(String(root?.attrs.Conventions))) return undefined;
  let apex = parentOf(array.path);
  for (let step = 0; step < MAX_GROUPS; step += 1) {
    const path = onlyBelow(array, apex, name);
    if (path || apex === "/") return path && arrayAt(array, path);
    apex = parentOf(apex);
  }
  return undefined;
}

const isName = (name: string) => name !== "" && name !== "." && name !== ".." && !name.includes("/");

/** The coordinate variable of a dimension. Undefined if there is none. */
export async function coordinateVariable(
  array: AnyArray,
  dimension: string,
  signal: AbortSignal | undefined,
): Promise<AnyArray | undefined> {
  if (!isName(dimension)) return undefined;
  const found = await unlessAborted(nearest(array, parentOf(array.path), dimension), signal);
  return found ?? unlessAborted(lateral(array, dimension), signal);
}

/** An attribute that names variables, and the path of the array that has it. */
export interface Naming {
  attribute: string;
  path: string;
}

/** The path that a reference with a slash means. Throws a `Format` error for one that has none. */
function pathOf(reference: string, { attribute, path }: Naming): AbsolutePath {
  const names = reference.startsWith("/") ? [] : parentOf(path).split("/").slice(1);
  const kept = names.filter((name) => name !== "");
  for (const name of reference.split("/")) {
    if (name === ".." && kept.pop() === undefined) {
      throw new ZarrError("Format", `the attribute ${attribute} leads above the root`, {
        path,
        field: attribute,
        actual: shown(reference),
      });
    }
    if (name !== "" && name !== "." && name !== "..") kept.push(name);
  }
  return `/${kept.join("/")}`;
}

/** The names and paths in an attribute: a text with spaces or, as people also write, a list. */
export const referencesIn = (value: unknown): string[] =>
  [value]
    .flat()
    .filter((each) => typeof each === "string" || typeof each === "number")
    .flatMap((each) => String(each).split(/\s+/))
    .filter((each) => each !== "");

/**
 * The variable that an attribute names, by a name or a path. Undefined if it is absent. Rejects
 * with a `Format` error for a path that leads above the root.
 */
export async function namedVariable(
  array: AnyArray,
  reference: string,
  naming: Naming,
  signal?: AbortSignal,
): Promise<AnyArray | undefined> {
  const text = reference.replaceAll("\\", "/");
  const isOfName = isName(text);
  const found = isOfName ? nearest(array, parentOf(naming.path), text) : arrayAt(array, pathOf(text, naming));
  return unlessAborted(found, signal);
}
