/**
 * `OverlayStore`: two stores as one that is read; what the first has counts.
 */
import { isOurs, NativeStore, storeId } from "./native_store.ts";
import type { Readable } from "../model/types.ts";

export class OverlayStore extends NativeStore {
  readonly first: Readable;
  readonly second: Readable;

  constructor(first: Readable, second: Readable) {
    super((glue) => glue.overlayStore(storeId(glue, first), storeId(glue, second)));
    // Kept: the engine itself knows the stores of users weakly.
    this.first = first;
    this.second = second;
  }
}
isOurs(OverlayStore);
