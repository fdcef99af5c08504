/**
 * `OverlayStore`: a read-only view of two stores. A key is read from the second store if the first
 * one does not have it.
 */
import { object } from "../../engine/ts/model/argument.ts";
import type { Readable } from "../../engine/ts/model/types.ts";
import { isOurs, NativeStore } from "./native_store.ts";

export class OverlayStore extends NativeStore {
  readonly first: Readable;
  readonly second: Readable;

  constructor(first: Readable, second: Readable) {
    super((objects) => ({ kind: "overlay", first: objects.store(first), second: objects.store(second) }));
    object(first, "first");
    object(second, "second");
    // Keep the stores alive, because the engine holds users' stores weakly.
    this.first = first;
    this.second = second;
  }
}
isOurs(OverlayStore);
