/**
 * Operations on keys of stores, archives, persistent caches and conventions.
 */
import type { ArchiveLayout } from "../../port/operations.ts";
import { askConventions, askNumbers } from "../convention_module.ts";
import { sharedCache } from "../http/persistent_cache.ts";
import { storeId } from "../stores.ts";
import type { OperationTable } from "./operation.ts";

export const storeOperations = {
  readKey: {
    begin: (glue, { store, key, offset, length }, _, settle) =>
      glue.readKey(storeId(glue, store), key, offset, length, settle),
    answer(bytes: Uint8Array | undefined, { give }) {
      if (bytes && bytes.byteLength === bytes.buffer.byteLength) give(bytes.buffer);
      return bytes;
    },
  },

  sizeOfKey: {
    begin: (glue, { store, key }, _, settle) => glue.sizeOfKey(storeId(glue, store), key, settle),
  },

  listKeys: {
    beginFull: (glue, { store, prefix }, _, settle) => glue.listKeys(storeId(glue, store), prefix, settle),
  },

  listDirectory: {
    beginFull: (glue, { store, prefix }, _, settle) =>
      glue.listDirectory(storeId(glue, store), prefix, settle),
  },

  setKey: {
    beginFull: (glue, { store, key, value }, _, settle) =>
      glue.setKey(storeId(glue, store), key, value, settle),
  },

  eraseKey: {
    beginFull: (glue, { store, key }, _, settle) => glue.eraseKey(storeId(glue, store), key, settle),
  },

  persistentUsage: ({ cache }) => sharedCache(cache).usage(),

  async persistentClear({ cache }) {
    await sharedCache(cache).clear();
    return undefined;
  },

  crc32: { computeFull: (glue, { value }) => glue.crc32(value, 0) },

  layOutArchive: {
    computeFull: (glue, { entries, omeVersion }) => glue.layOutArchive(entries, omeVersion) as ArchiveLayout,
  },

  convention: ({ request }) => askConventions(request),

  async numbers({ request }, { give }) {
    const answered = await askNumbers(request);
    give(answered.answer.buffer);
    return answered;
  },
} satisfies Partial<OperationTable>;
