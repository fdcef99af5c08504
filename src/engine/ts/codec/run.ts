/**
 * Runs users' codecs: functions on the page, modules in the decode workers.
 */

import { viewBytes } from "../model/memory.ts";
import { once } from "../model/once.ts";
import { isArrayBuffer, isPromiseLike } from "../model/realms.ts";
import { chunkOf, packedChunk, packedMemory, scalarOf } from "./chunk.ts";
import { CodecFault } from "./fault.ts";
import type { CodecEntry, CodecKind, CodecRequest, CodecSite, UserCodec } from "./site.ts";

/** Those of the contract, which would be in the first script of every page for this one use. */
const KINDS: readonly CodecKind[] = ["array_to_array", "array_to_bytes", "bytes_to_bytes"];

/** A codec, made from its configuration. */
interface MadeCodec {
  kind: CodecKind;
  codec: UserCodec;
}

function configurationOf({ configuration }: CodecSite): Record<string, unknown> {
  // A codec object of v2 has the codec's name in it.
  const { id, ...rest } = JSON.parse(configuration ?? "{}") as Record<string, unknown>;
  return typeof id === "string" || id === undefined ? rest : { ...rest, id };
}

/** The description of the chunk that `fromConfig` and `getEncodedMeta` receive. */
export function metaOf(site: CodecSite) {
  return {
    dataType: site.dtype,
    shape: [...site.shape],
    codecs: [{ name: site.codec, configuration: configurationOf(site) }],
    fillValue: scalarOf(site.type, site.fillValue),
  };
}

/** A copy of the bytes that a codec returned. */
function bytesOf(result: unknown): Uint8Array<ArrayBuffer> {
  if (isArrayBuffer(result)) return new Uint8Array(result.slice(0));
  if (ArrayBuffer.isView(result)) return viewBytes(result).slice() as Uint8Array<ArrayBuffer>;
  const actual = result === null ? "null" : typeof result;
  throw new CodecFault("a codec did not return bytes", "a Uint8Array", actual);
}

/**
 * Packs what a codec returned. At once if it is no promise: the codec may use its memory again at
 * its next call.
 */
async function packing(
  result: unknown,
  pack: (result: unknown) => Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  return pack(isPromiseLike(result) ? await result : result);
}

export class CodecRunner {
  readonly #load: (registered: string) => CodecEntry | Promise<CodecEntry>;
  readonly #made = new Map<string, Promise<MadeCodec>>();

  /** `load` returns the entry of a registered name. */
  constructor(load: (registered: string) => CodecEntry | Promise<CodecEntry>) {
    this.#load = load;
  }

  /** The codec for a site. It is made once. */
  made(site: CodecSite): Promise<MadeCodec> {
    const { registered, configuration, dtype, shape } = site;
    const name = JSON.stringify([registered, configuration, dtype, shape]);
    return once(this.#made, name, () => this.#make(site));
  }

  async #make(site: CodecSite): Promise<MadeCodec> {
    const entry = await this.#load(site.registered);
    if (typeof entry?.fromConfig !== "function") {
      throw new CodecFault(
        "the registry's loader did not return a codec",
        "an object with fromConfig",
        typeof entry,
      );
    }
    const codec = (await entry.fromConfig(configurationOf(site), metaOf(site))) as UserCodec;
    // As in zarrita, a codec without a kind is from bytes to bytes.
    const kind = codec?.kind ?? entry.kind ?? "bytes_to_bytes";
    if (!KINDS.includes(kind))
      throw new CodecFault("a codec has an unknown kind", KINDS.join(", "), String(kind));
    return { kind, codec };
  }

  /**
   * Encodes or decodes one chunk. Throws a `CodecFault` for an invalid result, and whatever the
   * codec throws.
   */
  async run(request: CodecRequest): Promise<Uint8Array<ArrayBuffer>> {
    const { direction, kind, decoded, encoded, bytes } = request;
    const { codec } = await this.made(request.site);
    if (direction === "decode") {
      const input = kind === "array_to_array" ? chunkOf(encoded, bytes) : bytes;
      return packing(codec.decode(input), (output) =>
        kind === "bytes_to_bytes" ? bytesOf(output) : packedChunk(decoded, output),
      );
    }
    if (typeof codec.encode !== "function") {
      const message = `codec ${JSON.stringify(request.site.codec)} cannot write, because it has no method \`encode\``;
      throw new CodecFault(message, "a method `encode`", typeof codec.encode, "Unsupported");
    }
    const input = kind === "bytes_to_bytes" ? bytes : chunkOf(decoded, bytes);
    return packing(codec.encode(input), (output) =>
      kind === "array_to_array" ? packedMemory(encoded, output) : bytesOf(output),
    );
  }
}
