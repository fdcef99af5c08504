/**
 * The paths below groups that consolidated metadata name. `consolidated.ts` loads the metadata; it
 * is lazy code, and holds no state.
 */
import type { ZarrError } from "../engine/ts/model/errors.ts";
import { parentOf } from "../engine/ts/model/node_like.ts";
import type { AbsolutePath } from "../engine/ts/model/types.ts";

/**
 * A node, with the error of opening it if its documents are invalid. Only the first 16 384
 * different documents are checked; `children()` and `tree()` check all.
 */
type Content = { path: AbsolutePath; kind: "array" | "group"; error?: ZarrError };

export type Contents = Content[];

/** The paths directly below each group. */
type Groups = Map<string, AbsolutePath[]>;

/** The contents of wrapped stores; after the first lookup, their groups. */
const groups = new WeakMap<object, (() => Contents) | Groups>();

export function rememberContents(store: object, contents: () => Contents): void {
  groups.set(store, contents);
}

function groupsOf(contents: Contents): Groups {
  const below: Groups = new Map();
  for (const { path } of contents) {
    if (path === "/") continue;
    const parent = parentOf(path);
    const siblings = below.get(parent);
    if (siblings) siblings.push(path);
    else below.set(parent, [path]);
  }
  for (const paths of below.values()) paths.sort();
  return below;
}

/** The paths directly below a group, sorted, if the store was wrapped. */
export function consolidatedChildren(store: object, group: string): readonly AbsolutePath[] | undefined {
  const known = groups.get(store);
  if (!known) return undefined;
  const below = known instanceof Map ? known : groupsOf(known());
  groups.set(store, below);
  return below.get(group) ?? [];
}
