/**
 * The error of a chunk of the package that could not be loaded. Browsers keep a failed `import()`
 * as it is: asking again fails again, and only a reload of the page helps.
 */
import { ZarrError } from "../model/errors.ts";

export function chunkFailed(cause: unknown): never {
  throw new ZarrError(
    "Store",
    `a chunk of zarr-wasm could not be loaded; reload the page, and check that all files of the bundle are served: ${cause}`,
    { cause },
  );
}
