/**
 * Where an entry's wasm and worker come from: here, out of the bundle itself. `#source` in the entry `zarr-wasm`.
 * The wasm is text (base64 of a deflate-raw stream), so that no bundler, content-type or CORS rule stands in its way.
 */
import engineWasm from "virtual:engine-wasm";
import worker from "virtual:worker-source";

/** The text of a worker, for blob workers. */
export const workerSource: string | undefined = worker;

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const { fromBase64 } = Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  return fromBase64
    ? fromBase64.call(Uint8Array, text)
    : Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

async function inflate(text: string): Promise<ArrayBuffer> {
  const deflated = new Response(decodeBase64(text)).body as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Response(deflated.pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer();
}

/** The bytes of the engine. */
export const engineBytes: (() => Promise<ArrayBuffer>) | undefined = () => inflate(engineWasm);

/** The bytes of the full build: a chunk of its own, downloaded when something needs it. */
export const fullBytes: (() => Promise<ArrayBuffer>) | undefined = async () =>
  inflate((await import("virtual:full-wasm")).default);

/** The bytes of the build with decoders of images, likewise. */
export const imagesBytes: (() => Promise<ArrayBuffer>) | undefined = async () =>
  inflate((await import("virtual:images-wasm")).default);

/** The bytes of the conventions' module, likewise. */
export const conventionsBytes: (() => Promise<ArrayBuffer>) | undefined = async () =>
  inflate((await import("virtual:conventions-wasm")).default);
