/** Codecs of callers that the tests of reading and writing share. */
import * as zarr from "zarr-wasm";

/** Every byte with all its bits turned; what `flipped` codecs undo. */
export const flip = (bytes) => Uint8Array.from(bytes, (byte) => byte ^ 0xff);

/** Registers for the time of one test. */
export async function registered(entries, body) {
  for (const [name, codec] of Object.entries(entries)) zarr.registry.set(name, codec);
  try {
    return await body();
  } finally {
    for (const name of Object.keys(entries)) zarr.registry.delete(name);
  }
}

/** Turns bits; `calls` is told what the codec was made from. */
export const flippedCodec = (calls = {}) => ({
  kind: "bytes_to_bytes",
  fromConfig(configuration, meta) {
    Object.assign(calls, { configuration, meta });
    return { kind: "bytes_to_bytes", encode: flip, decode: flip };
  },
});
