/**
 * Unpacks wasm from the texts of the package. The engine's own text is a deflate stream, which
 * JavaScript engines inflate themselves. The other builds are Zstandard frames: the package would
 * otherwise be a sixth larger, and most pages never load them.
 */
import { decompress } from "fzstd";

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const { fromBase64 } = Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  return fromBase64
    ? fromBase64.call(Uint8Array, text)
    : Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

/** The bytes of a base64 text of a deflate-raw stream. */
export async function inflated(text: string): Promise<ArrayBuffer> {
  const deflated = new Response(decodeBase64(text)).body as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Response(deflated.pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer();
}

/** The bytes of a base64 text of a Zstandard frame. */
export const decompressed = (text: string): Uint8Array<ArrayBuffer> =>
  decompress(decodeBase64(text)) as Uint8Array<ArrayBuffer>;
