/**
 * The stores of files: archives, and folders in whatever form a browser gives them. A chunk of its own, which pages that read
 * URLs do not download.
 */
import { absoluteUrl } from "../port/configuration.ts";
import { EntryStore, FileListStore } from "./chosen_files.ts";
import { DirectoryStore } from "./directory.ts";
import { ZipFileStore } from "./zip.ts";

const isA = (place: object, name: string): boolean => {
  const known = (globalThis as Record<string, unknown>)[name];
  return typeof known === "function" && place instanceof known;
};

/** The store of the archive at a URL. */
export const storeOfArchive = (url: string | URL): ZipFileStore => ZipFileStore.fromUrl(absoluteUrl(url));

/** The store of an archive or a folder. */
export function storeOfFiles(files: object): object {
  if (isA(files, "Blob")) return ZipFileStore.fromBlob(files as Blob);
  if (isA(files, "FileSystemDirectoryHandle")) return new DirectoryStore(files as FileSystemDirectoryHandle);
  if (isA(files, "FileList")) return new FileListStore(files as FileList);
  return new EntryStore(files as FileSystemDirectoryEntry);
}
