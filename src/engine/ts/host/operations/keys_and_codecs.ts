/**
 * Operations without a node: on keys of stores, archives, persistent caches and conventions; and on
 * one codec, which runs in a decoder, for the entries of the registry and for
 * `zarr-wasm/numcodecs`.
 */
import { errorFromRecord } from "../../model/errors.ts";
import type { CodecDescription, IcechunkRef, IcechunkSnapshot } from "../../port/operations.ts";
import type { ReportedError } from "../wasm_module.ts";
import { type OperationTable, operate } from "./operation.ts";

/** The answer of a repository: an id, an object of snapshots by name, or a list of snapshots. */
function repositoryAnswer(text: string): string | IcechunkRef[] | IcechunkSnapshot[] {
  if (!/^[[{]/.test(text)) return text;
  const answer = JSON.parse(text) as Record<string, string> | (IcechunkSnapshot & { time: number })[];
  if (Array.isArray(answer)) return answer.map((each) => ({ ...each, time: new Date(each.time) }));
  return Object.entries(answer).map(([name, snapshot]) => ({ name, snapshot }));
}

export const storeOperations = {
  async askRepository(args, context) {
    return repositoryAnswer(await operate("askRepository", args, context));
  },

  persistentUsage: ({ cache }, { engine }) => engine.caches.shared(cache).usage(),

  async persistentClear({ cache }, { engine }) {
    await engine.caches.shared(cache).clear();
    return undefined;
  },

  crc32: ({ value }, { engine: { instances } }) =>
    instances.call((glue) => instances.need(glue, "full").crc32(value, 0), { build: "full" }),

  async convention({ call, request }, { engine, give }) {
    const answer = await engine.conventions.call(call, request);
    give(answer.buffer);
    return answer;
  },
} satisfies OperationTable;

/** Decoding makes more bytes than it takes. This is a common ratio. */
const DECODED_RATIO = 8;

export const codecOperations = {
  async describeCodec(args, context) {
    return JSON.parse(await operate("describeCodec", args, context)) as CodecDescription;
  },

  async runCodec({ text, build, encodes, input }, { engine, signal, give }) {
    const pool = engine.pools.of(encodes ? input.length : DECODED_RATIO * input.length);
    try {
      const output = await pool.runCodec({ text, build, encodes }, input, signal);
      const bytes = output ?? new Uint8Array(0);
      give(bytes.buffer);
      return bytes;
    } catch (failure) {
      throw errorFromRecord((failure as ReportedError).record);
    }
  },
} satisfies OperationTable;
