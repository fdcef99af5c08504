/**
 * Paths of nodes and their parts. They have no slash at their ends, and `""` is the root.
 */

export const plainPath = (path: string): string => path.replace(/^\/+|(?<!\/)\/+$/g, "");

export const lastPart = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

export const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("/"), 0));

export const joined = (base: string, name: string): string => (base === "" ? name : `${base}/${name}`);

/** A name that is repeated often, with an ellipsis for what is left out. */
export const shortName = (name: string, most: number): string =>
  name.length <= most ? name : `${name.slice(0, most - 1)}…`;

/**
 * A path below a node, as attributes have it: `./0`, with backslashes, or a number. `""` for what
 * is no such path, and for one that leads upwards.
 */
export function pathBelow(written: unknown): string {
  if (typeof written !== "string" && typeof written !== "number") return "";
  const names = String(written)
    .split(/[/\\]/)
    .filter((name) => name !== "" && name !== ".");
  return names.includes("..") ? "" : names.join("/");
}
