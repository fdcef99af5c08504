/**
 * zarrita's codec registry: a `Map` from a codec's name to a function that loads it. The engine's own codecs are not in it
 * and need no entry. What a caller puts here is kept but not run: a codec that the engine does not know is an
 * `UnknownCodecError`.
 */
export interface CodecEntry {
  kind?: "array_to_array" | "array_to_bytes" | "bytes_to_bytes";
  // biome-ignore lint/suspicious/noExplicitAny: zarrita's own signature, which codecs in the wild are typed against
  fromConfig(configuration: any, meta: any): any;
}

export const registry: Map<string, () => CodecEntry | Promise<CodecEntry>> = new Map();
