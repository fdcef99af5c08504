/**
 * Operations on keys of stores, archives, persistent caches and conventions.
 */
import type { ArchiveLayout } from "../../port/operations.ts";
import { askConventions, askNumbers } from "../convention_module.ts";
import { sharedCache } from "../http/caches.ts";
import { callFull, needFull, run } from "../instances.ts";
import { storeId } from "../stores.ts";
import type { Handlers } from "./context.ts";

type Names =
  | "readKey"
  | "sizeOfKey"
  | "listKeys"
  | "listDirectory"
  | "setKey"
  | "eraseKey"
  | "persistentUsage"
  | "persistentClear"
  | "crc32"
  | "layOutArchive"
  | "convention"
  | "numbers";

export const storeOperations: Handlers<Names> = {
  async readKey({ store, key, offset, length }, { signal, give }) {
    const bytes = await run<Uint8Array | undefined>(signal, (glue, settle) =>
      glue.readKey(storeId(glue, store), key, offset, length, settle),
    );
    if (bytes && bytes.byteLength === bytes.buffer.byteLength) give(bytes.buffer);
    return bytes;
  },

  sizeOfKey({ store, key }, { signal }) {
    return run(signal, (glue, settle) => glue.sizeOfKey(storeId(glue, store), key, settle));
  },

  listKeys({ store, prefix }, { signal }) {
    return run(signal, (glue, settle) => needFull(glue).listKeys(storeId(glue, store), prefix, settle));
  },

  listDirectory({ store, prefix }, { signal }) {
    return run(signal, (glue, settle) => needFull(glue).listDirectory(storeId(glue, store), prefix, settle));
  },

  setKey({ store, key, value }) {
    return run(undefined, (glue, settle) => needFull(glue).setKey(storeId(glue, store), key, value, settle));
  },

  eraseKey({ store, key }) {
    return run(undefined, (glue, settle) => needFull(glue).eraseKey(storeId(glue, store), key, settle));
  },

  persistentUsage: ({ cache }) => sharedCache(cache).usage(),

  async persistentClear({ cache }) {
    await sharedCache(cache).clear();
    return undefined;
  },

  crc32: ({ value }) => callFull((glue) => glue.crc32(value, 0)),

  layOutArchive: ({ entries, omeVersion }) =>
    callFull((glue) => glue.layOutArchive(entries, omeVersion) as ArchiveLayout),

  convention: ({ request }) => askConventions(request),

  async numbers({ request }, { give }) {
    const answered = await askNumbers(request);
    give(answered.answer.buffer);
    return answered;
  },
};
