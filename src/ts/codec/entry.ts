/**
 * Codecs of the user's, as zarrita's registry has them.
 */
import type { CodecMetadata, DataType } from "../model/types.ts";

export type CodecKind = "array_to_array" | "array_to_bytes" | "bytes_to_bytes";

/** What a codec is made for: the chunk as it is before the codec encodes it. */
export interface CodecChunkMetadata {
  dataType: DataType;
  shape: number[];
  codecs: CodecMetadata[];
  fillValue: unknown;
}

/**
 * An array-to-array codec tells by `getEncodedMeta` what becomes of data type and shape, if they
 * change.
 */
export interface UserCodec {
  kind?: CodecKind;
  // biome-ignore lint/suspicious/noExplicitAny: zarrita's own signature, which codecs in the wild are typed against
  encode?(data: any): any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  decode(data: any): any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  getEncodedMeta?(meta: any): any;
}

export interface CodecEntry {
  kind?: CodecKind;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  fromConfig(configuration: any, meta: any): UserCodec | any;
}

/** The entry that a module holds. */
export const entryOf = (module: { default?: unknown }): CodecEntry => {
  const entry = (module.default ?? module) as CodecEntry;
  return typeof entry.fromConfig === "function" ? entry : (module as unknown as CodecEntry);
};
