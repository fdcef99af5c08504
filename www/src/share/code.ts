/** A read as code of four libraries. A test runs each of them and compares the values. */

import { javascriptOf } from "./javascript_code.js";
import { pythonOf } from "./python_code.js";
import type { ScreenRead } from "./screen_read.js";

export interface Language {
  id: "zarr-wasm" | "zarrita" | "xarray" | "zarr-python";
  /** Null if the library cannot read the store. */
  write(read: ScreenRead): string | null;
}

export const LANGUAGES: readonly Language[] = [
  { id: "zarr-wasm", write: (read) => javascriptOf(read, "zarr-wasm") },
  { id: "zarrita", write: (read) => javascriptOf(read, "zarrita") },
  { id: "xarray", write: (read) => pythonOf(read, "xarray") },
  { id: "zarr-python", write: (read) => pythonOf(read, "zarr-python") },
];
