/**
 * What is stored of the chunks in view: whether each is there, its size, and when its file was
 * changed. The package asks the store; this keeps the answers while a data set is shown.
 */

import * as zarr from "zarr-wasm";
import type { ArrayNode } from "../../model/scene/scene.js";
import type { CellsInView } from "./chunk_cells.js";

export interface Stored {
  /** Null if the chunk is missing. */
  bytes: number | null;
  /** When the file that has it was changed, if the store tells. */
  changed?: Date | undefined;
}

interface Asking {
  signal: AbortSignal;
  /** Called after each answer. */
  onFound(): void;
}

const nameOf = ({ path }: Pick<ArrayNode, "path">, index: readonly number[]) => `${path} ${index}`;

export class StoredFacts {
  readonly #known = new Map<string, Stored>();

  /** What is known of a chunk. */
  of(array: Pick<ArrayNode, "path">, index: readonly number[]): Stored | undefined {
    return this.#known.get(nameOf(array, index));
  }

  /** Asks for the chunks that are not known. */
  async ask({ array, chunks }: CellsInView, { signal, onFound }: Asking): Promise<void> {
    const unknown = chunks.filter(({ index }) => !this.of(array, index));
    if (unknown.length === 0) return;
    const elements = array.shape.map((_, axis) => unknown.map(({ element }) => element[axis] ?? 0));
    for await (const stored of array.storedSizes(zarr.points(...elements), { signal })) {
      for (const { chunk, bytes = null } of stored.innerChunks ?? [stored])
        this.#known.set(nameOf(array, chunk), { bytes, changed: stored.lastModified });
      onFound();
    }
  }
}
