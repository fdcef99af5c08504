/** Parts of paths of nodes. They have no slash at their ends, and `""` is the root. */

export const plainPath = (path: string): string => path.replace(/^\/+|(?<!\/)\/+$/g, "");

export const lastPart = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

export const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("/"), 0));

export const joined = (base: string, name: string): string => (base === "" ? name : `${base}/${name}`);
