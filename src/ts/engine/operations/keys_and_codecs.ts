/**
 * Operations without a node: on keys of stores, archives, persistent caches and conventions; and on
 * one codec, which runs in a decoder, for the entries of the registry and for
 * `zarr-wasm/numcodecs`.
 */
import { errorFromReport } from "../../model/errors.ts";
import type {
  ArchiveLayout,
  CodecDescription,
  IcechunkRef,
  IcechunkSnapshot,
} from "../../port/operations.ts";
import type { Failure } from "../decode/messages.ts";
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
    begin: (glue, { store, key, offset, length }, { engine }, settle) =>
      glue.readKey(engine.stores.id(glue, store), key, offset, length, settle),
    answer(bytes: Uint8Array | undefined, { give }) {
      if (bytes && bytes.byteLength === bytes.buffer.byteLength) give(bytes.buffer);
      return bytes;
    },
  },

  sizeOfKey: {
    begin: (glue, { store, key }, { engine }, settle) =>
      glue.sizeOfKey(engine.stores.id(glue, store), key, settle),
  },

  listKeys: {
    beginReading: (glue, { store, prefix }, { engine }, settle) =>
      glue.listKeys(engine.stores.id(glue, store), prefix, settle),
  },

  listDirectory: {
    beginReading: (glue, { store, prefix }, { engine }, settle) =>
      glue.listDirectory(engine.stores.id(glue, store), prefix, settle),
  },

  setKey: {
    beginFull: (glue, { store, key, value }, { engine }, settle) =>
      glue.setKey(engine.stores.id(glue, store), key, value, settle),
  },

  eraseKey: {
    beginFull: (glue, { store, key }, { engine }, settle) =>
      glue.eraseKey(engine.stores.id(glue, store), key, settle),
  },

  askRepository: {
    beginReading: (glue, { store, question }, { engine }, settle) =>
      glue.askRepository(engine.stores.id(glue, store), question, settle),
    answer: repositoryAnswer,
  },

  persistentUsage: ({ cache }, { engine }) => engine.caches.shared(cache).usage(),

  async persistentClear({ cache }, { engine }) {
    await engine.caches.shared(cache).clear();
    return undefined;
  },

  crc32: { computeFull: (glue, { value }) => glue.crc32(value, 0) },

  layOutArchive: {
    computeFull: (glue, { entries, omeVersion }) => glue.layOutArchive(entries, omeVersion) as ArchiveLayout,
  },

  async convention({ call, request }, { engine, give }) {
    const answer = await engine.conventions.call(call, request);
    give(answer.buffer);
    return answer;
  },
} satisfies Partial<OperationTable>;

/** Decoding makes more bytes than it takes. This is a common ratio. */
const DECODED_RATIO = 8;

export const codecOperations = {
  describeCodec: {
    compute: (glue, { text }) => JSON.parse(glue.describeCodec(text)) as CodecDescription,
  },

  async runCodec({ text, build, encodes, input }, { engine, signal, give }) {
    const pool = engine.pools.of(encodes ? input.length : DECODED_RATIO * input.length);
    try {
      const output = await pool.runCodec({ text, build, encodes }, input, signal);
      const bytes = output ?? new Uint8Array(0);
      give(bytes.buffer);
      return bytes;
    } catch (failure) {
      throw errorFromReport((failure as Failure).report);
    }
  },
} satisfies Partial<OperationTable>;
