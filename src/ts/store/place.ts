/**
 * What `open` takes in place of a store: URLs, files that are archives, folders.
 */
import { chunkFailed } from "../port/chunk_failed.ts";
import { FetchStore } from "./fetch_store.ts";

/** An archive (`Blob`, `File`), or a folder in whatever form a browser gives it. */
export type Files = Blob | FileSystemDirectoryHandle | FileList | FileSystemDirectoryEntry;

/** An address that ends as archives do. */
const ARCHIVE = /\.(zip|ozx)$/i;

/** Classes of files, where this place has them. */
const FILES = ["Blob", "FileSystemDirectoryHandle", "FileList", "FileSystemDirectoryEntry"];

const isFiles = (place: object): boolean =>
  FILES.some((name) => {
    const known = (globalThis as Record<string, unknown>)[name];
    return typeof known === "function" && place instanceof known;
  });

const filePlaces = () => import("./file_place.ts").catch(chunkFailed);

/** The store that a place stands for; a promise of it for archives and folders. What is none of these is a store itself. */
export function storeOf(place: unknown): unknown {
  if (typeof place === "string" || place instanceof URL) {
    const path = String(place).replace(/[?#].*$/s, "");
    if (!ARCHIVE.test(path)) return new FetchStore(place);
    return filePlaces().then(({ storeOfArchive }) => storeOfArchive(place));
  }
  if (typeof place !== "object" || place === null || !isFiles(place)) return place;
  return filePlaces().then(({ storeOfFiles }) => storeOfFiles(place));
}
