/**
 * Types of browsers that the published declarations name and that Node's types lack. They have here what tells them apart, and merge with those of `lib.dom` where it
 * is there: who compiles for Node alone needs no `lib.dom`. Published beside the declarations by `scripts/package.mjs`.
 */
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
// biome-ignore-start lint/suspicious/noEmptyInterface: those of `lib.dom` are merged with them, which types are not
declare namespace WebAssembly {
  interface Memory {}
  interface Module {}
  interface Table {}
}
// biome-ignore-end lint/suspicious/noEmptyInterface: see above
