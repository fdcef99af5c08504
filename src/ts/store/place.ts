/**
 * Makes stores from what `open` accepts in place of a store: URLs, archive files, folders.
 */

import { isA } from "../model/argument.ts";
import { EntryStore, FileListStore } from "./chosen_files.ts";
import { DirectoryStore } from "./directory.ts";
import { FetchStore } from "./fetch_store.ts";
import { ZipFileStore } from "./zip.ts";

/** An archive (`Blob`, `File`), or a folder in any form that browsers provide. */
export type Files = Blob | FileSystemDirectoryHandle | FileList | FileSystemDirectoryEntry;

/** Paths of ZIP archives. */
const ARCHIVE = /\.(zip|ozx)$/i;

/** The store of a URL: a ZIP archive if its path ends in `.zip` or `.ozx`. */
function storeOfUrl(url: string | URL): FetchStore | ZipFileStore {
  const path = String(url).replace(/[?#].*$/s, "");
  return ARCHIVE.test(path) ? ZipFileStore.fromUrl(url) : new FetchStore(url);
}

/** The store for a place. Any other value is returned, as it must be a store itself. */
export function storeOf(place: unknown): unknown {
  if (typeof place === "string" || place instanceof URL) return storeOfUrl(place);
  if (typeof place !== "object" || place === null) return place;
  if (isA(place, "Blob")) return ZipFileStore.fromBlob(place as Blob);
  if (isA(place, "FileSystemDirectoryHandle")) return new DirectoryStore(place as FileSystemDirectoryHandle);
  if (isA(place, "FileList")) return new FileListStore(place as FileList);
  if (isA(place, "FileSystemDirectoryEntry")) return new EntryStore(place as FileSystemDirectoryEntry);
  return place;
}
