/**
 * `OverlayStore`: a read-only view of two stores. A key is read from the second store if the first
 * one does not have it.
 */
import { object } from "../../engine/ts/model/argument.ts";
import type { Readable } from "../../engine/ts/model/types.ts";
import { isOurs, NativeStore } from "./native_store.ts";

/**
 * A read-only view of two stores. Keys that the first store does not have are read from the
 * second one.
 *
 *     const store = new OverlayStore(await storeOfChanges(), new FetchStore(url));
 */
export class OverlayStore extends NativeStore {
  /** The store that is asked first. */
  readonly first: Readable;
  /** The store that is asked for what the first one does not have. */
  readonly second: Readable;

  /**
   * @param first The store that is asked first.
   * @param second The store that is asked for what the first one does not have.
   */
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
