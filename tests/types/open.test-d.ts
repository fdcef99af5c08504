/** The root entry's `open`, as a user's compiler sees it. */
import { open } from "zarr-wasm";

export const opening: Promise<unknown> = open("https://example.org/data.zarr");

// @ts-expect-error there is nothing to open in a number
open(5);
