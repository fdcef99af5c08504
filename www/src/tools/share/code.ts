/** What is read as code of four libraries. A test runs each of them and compares the values. */

import type { ViewReads } from "../../widgets/views/view_reads.js";
import { javascriptOf } from "./javascript_code.js";
import { pythonOf } from "./python_code.js";

export interface Language {
  id: "zarr-wasm" | "zarrita" | "xarray" | "zarr-python";
  /** Null if the library cannot read the store. */
  write(reads: ViewReads): string | null;
}

export const LANGUAGES: readonly Language[] = [
  { id: "zarr-wasm", write: (reads) => javascriptOf(reads, "zarr-wasm") },
  { id: "zarrita", write: (reads) => javascriptOf(reads, "zarrita") },
  { id: "xarray", write: (reads) => pythonOf(reads, "xarray") },
  { id: "zarr-python", write: (reads) => pythonOf(reads, "zarr-python") },
];
