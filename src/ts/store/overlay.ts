/**
 * `OverlayStore`: two stores as one that is read; what the first has counts.
 */
import type { Readable } from "../model/types.ts";
import { isOurs, NativeStore } from "./native_store.ts";

export class OverlayStore extends NativeStore {
  readonly first: Readable;
  readonly second: Readable;

  constructor(first: Readable, second: Readable) {
    super((objects) => ({ kind: "overlay", first: objects.store(first), second: objects.store(second) }));
    // Kept: the engine itself knows the stores of users weakly.
    this.first = first;
    this.second = second;
  }
}
isOurs(OverlayStore);
