/** Tests the types of the root entry's `open`. */
import { open } from "zarr-wasm";

export const opening: Promise<unknown> = open("https://example.org/data.zarr");

declare const folder: FileSystemDirectoryHandle;
declare const file: File;
declare const list: FileList;
export const files: Promise<unknown>[] = [open(folder), open(file), open(list, { path: "a" })];
export const arrayInFile: Promise<{ shape: number[] }> = open(file, { kind: "array" });

// @ts-expect-error a number cannot be opened
open(5);
