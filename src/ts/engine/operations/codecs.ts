/**
 * Operations that run one codec on its own, in a decoder: for the entries of the registry, and for
 * `zarr-wasm/numcodecs`.
 */
import { type ErrorReport, errorFromReport } from "../../model/errors.ts";
import type { CodecDescription } from "../../port/operations.ts";
import type { Failure } from "../decode/messages.ts";
import { poolFor } from "../decode/pools.ts";
import type { OperationTable } from "./operation.ts";

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
