/**
 * Where the folders of browsers are, so that stores over one folder, or over a folder and one in
 * it, name the lock of a file alike. A folder of the origin private file system has a path there.
 * A page is not told the paths of other folders; but handles tell whether one folder is in
 * another. So each folder is compared with those that this thread has used before.
 * The engine asks the page for locks in such folders, because the page performs the calls of some
 * stores.
 */
import { keyOf, type Names } from "./folder_store.ts";

/** How a folder lies to one that this thread has used. */
interface Relation {
  /** The beginning of the names of locks in that folder. */
  lock: string;
  /** The names that lead from the one that is `above` to the other. */
  names: Names;
  above: "this" | "other";
}

/** The relations of a folder, oldest first. The last one is to itself. */
export type FolderLocation = readonly Relation[];

interface UsedFolder {
  handle: FileSystemDirectoryHandle;
  lock: string;
}

/** The folders that stores of this thread have used, each once. */
const used: UsedFolder[] = [];

/** The names that lead from a folder to one in it; undefined if it is elsewhere. */
async function namesBetween(
  folder: FileSystemDirectoryHandle,
  inner: FileSystemDirectoryHandle,
): Promise<Names | undefined> {
  try {
    // Handles that a program made itself may lack the method.
    return (await folder.resolve?.(inner)) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The path of a folder in the origin private file system; undefined if it is not there. */
async function privatePath(handle: FileSystemDirectoryHandle): Promise<Names | undefined> {
  const { storage } = (globalThis.navigator ?? {}) as { storage?: StorageManager };
  const root = await storage?.getDirectory?.().catch(() => undefined);
  return root && namesBetween(root, handle);
}

/** Finds out where a folder is. */
export async function folderLocationOf(handle: FileSystemDirectoryHandle): Promise<FolderLocation> {
  const path = await privatePath(handle);
  if (path) return [{ lock: "opfs:", names: path, above: "other" }];
  const relations: Relation[] = [];
  // Others may be added meanwhile, which are compared too.
  for (const other of used) {
    const below = await namesBetween(other.handle, handle);
    if (below) return [...relations, { lock: other.lock, names: below, above: "other" }];
    const inside = await namesBetween(handle, other.handle);
    if (inside) relations.push({ lock: other.lock, names: inside, above: "this" });
  }
  // The name is the same in other tabs. Folders of one name only wait for each other in vain.
  const lock = `folder:${handle.name}`;
  used.push({ handle, lock });
  return [...relations, { lock, names: [], above: "other" }];
}

/**
 * The name of the lock of a file in a folder: in the oldest of the known folders that has the file.
 */
export function lockBelow(location: FolderLocation, names: Names): string {
  for (const { lock, names: between, above } of location) {
    if (above === "other") return `${lock}${keyOf([...between, ...names])}`;
    if (between.every((name, at) => name === names[at]))
      return `${lock}${keyOf(names.slice(between.length))}`;
  }
  return `folder:${keyOf(names)}`;
}
