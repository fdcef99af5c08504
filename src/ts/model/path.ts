/**
 * Paths of nodes: absolute, without a slash at their end but that of the root, "/".
 */
import type { AbsolutePath } from "./types.ts";

/** The path of the group that holds a node. */
export const parentOf = (path: string): AbsolutePath =>
  (path.slice(0, path.lastIndexOf("/")) || "/") as AbsolutePath;

/** The last name of a path; "" for the root. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** The path of a node below a group. */
export const below = (path: string, name: string): AbsolutePath =>
  `${path === "/" ? "" : path}/${name}` as AbsolutePath;
