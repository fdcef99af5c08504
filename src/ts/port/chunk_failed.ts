/**
 * The error for a chunk of the package that failed to load. Browsers remember a failed `import()`:
 * importing it again fails again until the page is reloaded.
 */
import { ZarrError } from "../model/errors.ts";

export function chunkFailed(cause: unknown): never {
  throw new ZarrError(
    "Store",
    `a chunk of zarr-wasm could not be loaded; reload the page, and check that all files of the bundle are served: ${cause}`,
    { cause },
  );
}
