/**
 * What folders of browsers and of Node share: names of files that are being written, the error for
 * a key that cannot be a file, and the listing of everything below a folder. It is apart from
 * `folder_store.ts`, which every page loads.
 */
import { ZarrError } from "../model/errors.ts";
import type { AbsolutePath } from "../model/types.ts";
import { type Entries, keyOf, listed, type Names, namesOfPrefix } from "./file.ts";

const UNFINISHED = /^\.[\da-z]{1,12}\.zarr-unfinished$/;

/** Whether a file is being written, so that it is no value. */
export const isUnfinished = (name: string): boolean => UNFINISHED.test(name);

/** A new name for a file that is being written. */
export function unfinishedName(): string {
  const digits = Array.from({ length: 12 }, () => Math.floor(Math.random() * 36).toString(36));
  return `.${digits.join("")}.zarr-unfinished`;
}

/** The error for a key whose folder is a file, or whose file is a folder. */
export function taken(names: Names, cause: unknown): ZarrError {
  const key = keyOf(names);
  const text = `${key} cannot be written: its folder exists as a file, or the key exists as a folder`;
  return new ZarrError("Store", text, { key, cause });
}

/**
 * The keys of all files below a folder: of each folder first its own, sorted. `check` is called
 * with each folder before it is listed, and throws a `Limit` error where the listing may be without
 * end.
 */
export async function* keysBelow(
  top: Names,
  entries: (names: Names) => Promise<Entries>,
  check: (names: Names) => Promise<void> | void,
): AsyncGenerator<AbsolutePath> {
  const open: Names[] = [top];
  for (let names = open.pop(); names !== undefined; names = open.pop()) {
    await check(names);
    const { keys, prefixes } = listed(names, await entries(names));
    yield* keys;
    for (const prefix of prefixes.reverse()) open.push(namesOfPrefix(prefix));
  }
}
