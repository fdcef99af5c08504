/**
 * Users' codecs: their interfaces, as zarrita's registry defines them, and the engine's requests to
 * them, which `src/engine/rust/js/user_codecs.rs` and `src/core/format/codec/user` write. Workers
 * use this file too.
 */

import type { CodecKind } from "../../../contract/contract.ts";
import type { TypeDescription } from "../model/data_type.ts";
import type { OwnBytes } from "../model/own_memory.ts";
import { newDecoder } from "../model/utf8.ts";

export type { CodecKind };

/** A codec of yours, as `CodecEntry.fromConfig` makes it. */
export interface UserCodec {
  /** Its kind. Default: that of the entry, else `"bytes_to_bytes"`. */
  kind?: CodecKind | undefined;
  /**
   * Encodes a chunk, which only writing needs: bytes, or `{ data, shape, stride }` of a codec that
   * takes arrays. May return a promise.
   */
  // biome-ignore lint/suspicious/noExplicitAny: zarrita's signature; users' codecs have this type
  encode?(data: any): any;
  /** Decodes what `encode` has returned. May return a promise. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  decode(data: any): any;
  /**
   * Returns the metadata after a codec from array to array that changes the data type or the shape.
   */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  getEncodedMeta?(meta: any): any;
}

/** What a loader of a codec returns, and a module of one exports: it makes codecs of arrays. */
export interface CodecEntry {
  /** Its kind. Default: that of the codec, else `"bytes_to_bytes"`. */
  kind?: CodecKind | undefined;
  /**
   * Makes the codec of an array. `meta` describes the chunk before the codec encodes it: its
   * `dataType`, `shape` and `fillValue`, and `codecs`.
   */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  fromConfig(configuration: any, meta: any): UserCodec | any;
}

/** Returns the registry entry that a module exports. */
export const entryOf = (module: { default?: unknown }): CodecEntry => {
  const entry = (module.default ?? module) as CodecEntry;
  return typeof entry.fromConfig === "function" ? entry : (module as CodecEntry);
};

/** A codec at its position in an array's codec chain. */
export interface CodecSite {
  /** Its name in the metadata. */
  codec: string;
  /** Its name in the registry. */
  registered: string;
  /** The configuration as JSON text; for v2, the whole codec object. */
  configuration?: string;
  dtype: string;
  type: TypeDescription;
  shape: number[];
  /** The packed fill value. */
  fillValue: number[];
}

/** The shape and data type of a chunk that crosses as packed elements. */
export interface ArrayForm {
  shape: number[];
  type: TypeDescription;
}

/** One chunk to encode or decode. */
export interface CodecRequest {
  id: number;
  /** Key of the chunk, relative to the array. */
  key: string;
  site: CodecSite;
  direction: "encode" | "decode";
  kind: CodecKind;
  /** The chunk before encoding and after decoding, if it is an array there. */
  decoded: ArrayForm;
  encoded: ArrayForm;
  bytes: OwnBytes;
}

export interface CodecAnswer {
  id: number;
  bytes: OwnBytes;
}

interface RequestsMessage {
  sites: CodecSite[];
  requests: (Omit<CodecRequest, "bytes" | "site"> & { site: number; start: number; end: number })[];
}

/** Parses the result of the call `requests`. */
export function readRequests(result: OwnBytes): CodecRequest[] {
  if (result.length === 0) return [];
  const end = 4 + new DataView(result.buffer, result.byteOffset).getUint32(0, true);
  const text = newDecoder().decode(result.subarray(4, end));
  const { sites, requests } = JSON.parse(text) as RequestsMessage;
  return requests.map(({ start, end: stop, site, ...request }) => ({
    ...request,
    site: sites[site] as CodecSite,
    bytes: result.slice(end + start, end + stop),
  }));
}
