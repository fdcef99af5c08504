/**
 * The interfaces of users' codecs, as zarrita's registry defines them.
 */
export type CodecKind = "array_to_array" | "array_to_bytes" | "bytes_to_bytes";

/**
 * A user's codec. An array-to-array codec that changes the data type or the shape has
 * `getEncodedMeta`, which returns the changed metadata.
 */
export interface UserCodec {
  kind?: CodecKind;
  // biome-ignore lint/suspicious/noExplicitAny: zarrita's signature; users' codecs have this type
  encode?(data: any): any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  decode(data: any): any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  getEncodedMeta?(meta: any): any;
}

export interface CodecEntry {
  kind?: CodecKind;
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
  return typeof entry.fromConfig === "function" ? entry : (module as unknown as CodecEntry);
};
