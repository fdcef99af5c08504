/**
 * What the engine asks of codecs of the user's: written by `src/js/user_codecs.rs` and
 * `src/format/codec/user`. Used in workers too.
 */
import type { TypeDescription } from "../model/data_type.ts";
import type { CodecKind } from "./entry.ts";

/** A codec at its place in a chain. */
export interface CodecSite {
  /** As the metadata has it. */
  codec: string;
  /** As the registry has it. */
  registered: string;
  /** JSON text; of v2 the whole codec object. */
  configuration?: string;
  dtype: string;
  type: TypeDescription;
  shape: number[];
  /** One packed element. */
  fillValue: number[];
}

/** An array whose elements cross packed, or behind offsets. */
export interface ArrayForm {
  shape: number[];
  type: TypeDescription;
}

/** One run of a codec. */
export interface CodecRequest {
  id: number;
  /** Of the chunk, relative to the array. */
  key: string;
  site: CodecSite;
  direction: "encode" | "decode";
  kind: CodecKind;
  /** What goes into encoding and comes out of decoding, where that is an array. */
  decoded: ArrayForm;
  encoded: ArrayForm;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface CodecAnswer {
  id: number;
  bytes: Uint8Array<ArrayBuffer>;
}

interface RequestsMessage {
  sites: CodecSite[];
  requests: (Omit<CodecRequest, "bytes" | "site"> & { site: number; start: number; end: number })[];
}

/** The requests in what `zarr_requests` answers. */
export function readRequests(result: Uint8Array<ArrayBuffer>): CodecRequest[] {
  if (result.length === 0) return [];
  const end = 4 + new DataView(result.buffer, result.byteOffset).getUint32(0, true);
  const text = new TextDecoder().decode(result.subarray(4, end));
  const { sites, requests } = JSON.parse(text) as RequestsMessage;
  return requests.map(({ start, end: stop, site, ...request }) => ({
    ...request,
    site: sites[site] as CodecSite,
    bytes: result.slice(end + start, end + stop),
  }));
}
