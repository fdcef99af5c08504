/** Users' codecs for the tests of reading and writing. */
import * as zarr from "zarr-wasm";

/** Inverts all bits. The `flipped` codecs undo it. */
export const flip = (bytes) => Uint8Array.from(bytes, (byte) => byte ^ 0xff);

/** Registers a codec for one test. */
export async function registered(entries, body) {
  for (const [name, codec] of Object.entries(entries)) zarr.registry.set(name, codec);
  try {
    return await body();
  } finally {
    for (const name of Object.keys(entries)) zarr.registry.delete(name);
  }
}

/** A codec that inverts all bits. `calls` records its configuration. */
export const flippedCodec = (calls = {}) => ({
  kind: "bytes_to_bytes",
  fromConfig(configuration, meta) {
    Object.assign(calls, { configuration, meta });
    return { kind: "bytes_to_bytes", encode: flip, decode: flip };
  },
});
