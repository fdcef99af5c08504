/**
 * Browser types that the published declarations use and that Node's types lack. Each has one member
 * that distinguishes it, and merges with the type of `lib.dom` if that is loaded. So code for Node
 * compiles without `lib.dom`. `scripts/declarations.mjs` publishes this file beside the
 * declarations.
 */
interface Worker {
  terminate(): void;
}
interface DataTransfer {
  readonly files: FileList;
}
interface FileList {
  readonly length: number;
}
interface FileSystemDirectoryEntry {
  readonly isDirectory: boolean;
}
interface FileSystemDirectoryHandle {
  readonly kind: "directory";
}
declare namespace WebAssembly {
  // biome-ignore lint/suspicious/noEmptyInterface: merged with `lib.dom`, unlike a type alias
  interface Memory {}
  // biome-ignore lint/suspicious/noEmptyInterface: as above
  interface Module {}
  // biome-ignore lint/suspicious/noEmptyInterface: as above
  interface Table {}
}
