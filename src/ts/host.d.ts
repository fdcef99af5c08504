/**
 * Types of browsers that the published declarations name and that Node's types lack. They have here what tells them apart, and merge with those of `lib.dom` where it
 * is there: who compiles for Node alone needs no `lib.dom`. Published beside the declarations by `scripts/package.mjs`.
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
  // biome-ignore lint/suspicious/noEmptyInterface: it is merged with that of `lib.dom`, which a type is not
  interface Memory {}
  // biome-ignore lint/suspicious/noEmptyInterface: as above
  interface Module {}
  // biome-ignore lint/suspicious/noEmptyInterface: as above
  interface Table {}
}
