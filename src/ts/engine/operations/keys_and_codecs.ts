/**
 * Operations without a node: on keys of stores, archives, persistent caches and conventions; and on
 * one codec, which runs in a decoder, for the entries of the registry and for
 * `zarr-wasm/numcodecs`.
 */
import { type ErrorReport, errorFromReport } from "../../model/errors.ts";
import type {
  ArchiveLayout,
  CodecDescription,
  IcechunkRef,
  IcechunkSnapshot,
} from "../../port/operations.ts";
import type { Failure } from "../decode/messages.ts";
import { poolFor } from "../decode/pools.ts";
import { sharedCache } from "../http/persistent_cache.ts";
import { storeId } from "../stores.ts";
import { askConventions, askNumbers } from "../wasm_builds.ts";
import type { OperationTable } from "./operation.ts";

/** The answer of a repository: an id, an object of snapshots by name, or a list of snapshots. */
function repositoryAnswer(text: string): string | IcechunkRef[] | IcechunkSnapshot[] {
  if (!/^[[{]/.test(text)) return text;
  const told = JSON.parse(text) as Record<string, string> | (IcechunkSnapshot & { time: number })[];
  if (Array.isArray(told)) return told.map((each) => ({ ...each, time: new Date(each.time) }));
  return Object.entries(told).map(([name, snapshot]) => ({ name, snapshot }));
}

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
    beginReading: (glue, { store, prefix }, _, settle) => glue.listKeys(storeId(glue, store), prefix, settle),
  },

  listDirectory: {
    beginReading: (glue, { store, prefix }, _, settle) =>
      glue.listDirectory(storeId(glue, store), prefix, settle),
  },

  setKey: {
    beginFull: (glue, { store, key, value }, _, settle) =>
      glue.setKey(storeId(glue, store), key, value, settle),
  },

  eraseKey: {
    beginFull: (glue, { store, key }, _, settle) => glue.eraseKey(storeId(glue, store), key, settle),
  },

  askRepository: {
    beginReading: (glue, { store, question }, _, settle) =>
      glue.askRepository(storeId(glue, store), question, settle),
    answer: repositoryAnswer,
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

/** Decoding makes more bytes than it takes. This is a common ratio. */
const DECODED_RATIO = 8;

export const codecOperations = {
  describeCodec: {
    compute: (glue, { text }) => JSON.parse(glue.describeCodec(text)) as CodecDescription,
  },

  async runCodec({ text, build, encodes, input }, { signal, give }) {
    const pool = poolFor(encodes ? input.length : DECODED_RATIO * input.length);
    const part = pool.beginCodec({ text, build, encodes });
    const cancel = () => pool.cancel(part);
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      // The page may still use the input, if it is on this thread.
      const output = await pool.update(part, {
        old: undefined,
        ownsOld: true,
        elements: input,
        ownsElements: false,
      });
      const bytes = output ?? new Uint8Array(0);
      give(bytes.buffer);
      return bytes;
    } catch (failure) {
      throw errorFromReport(JSON.parse((failure as Failure).report) as ErrorReport);
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  },
} satisfies Partial<OperationTable>;
