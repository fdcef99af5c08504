/**
 * Browser types that the published declarations use and that Node's types lack. Each has one member
 * that distinguishes it, and merges with the type of `lib.dom` if that is loaded. So code for Node
 * compiles without `lib.dom`. `types.ts` brings them to all declarations.
 */
declare global {
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
  namespace WebAssembly {
    // Interfaces merge with those of `lib.dom`. Aliases do not.
    interface Memory {}
    interface Module {}
    interface Table {}
  }
}

export {};
