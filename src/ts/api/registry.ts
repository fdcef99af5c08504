/**
 * zarrita's `registry`: the registered codecs, with this package's own. An entry of this package
 * gives a codec that the engine runs, for code that needs one alone and for other libraries. Reads
 * and writes of arrays do not use these entries.
 */
import { late } from "#late";
import type { CodecKind } from "../codec/site.ts";
import { type CodecLoader, type CodecRegistry, ownLoaders, registered } from "./registered.ts";

/** Codecs of numcodecs: under their ids, and with the prefix `numcodecs.`. */
const NUMCODECS: Record<CodecKind, string> = {
  array_to_array: "astype bitround categorize delta fixedscaleoffset quantize",
  array_to_bytes: "json2 msgpack2 pcodec vlen-array vlen-bytes vlen-utf8 zfpy",
  bytes_to_bytes:
    "adler32 base64 blosc bz2 crc32 crc32c fletcher32 gzip jenkins_lookup3 lz4 lzma shuffle zlib zstd",
};

const OTHERS: Record<CodecKind, string> = {
  array_to_array:
    "cast_value imagecodecs_delta imagecodecs_floatpred numcodecs.packbits reshape scale_offset " +
    "transpose zarrs.squeeze",
  array_to_bytes:
    "bytes endian imagecodecs_jpeg imagecodecs_jpeg2k imagecodecs_jpegxl imagecodecs_lerc " +
    "imagecodecs_png imagecodecs_qoi imagecodecs_spng imagecodecs_webp jpeg jpegxl n5_default " +
    "optional packbits sharding_indexed zarrs.optional zarrs.vlen_v2 zarrs.zfp zfp",
  bytes_to_bytes:
    "conditional imagecodecs_blosc imagecodecs_bz2 imagecodecs_deflate imagecodecs_lzma " +
    "imagecodecs_lzw imagecodecs_packbits imagecodecs_zlib imagecodecs_zlibng imagecodecs_zopfli " +
    "imagecodecs_zstd lzw",
};

function loaderOf(name: string, kind: CodecKind): CodecLoader {
  const loader = async () => {
    const { engineCodecEntry } = await late();
    return engineCodecEntry(name, kind);
  };
  ownLoaders.set(loader, name);
  return loader;
}

function withOwnCodecs(): CodecRegistry {
  for (const kind of ["array_to_array", "array_to_bytes", "bytes_to_bytes"] as const) {
    const ids = NUMCODECS[kind].split(" ");
    const names = [...ids, ...ids.map((id) => `numcodecs.${id}`), ...OTHERS[kind].split(" ")];
    for (const name of names) {
      // A codec that the user registered before stays.
      if (!registered.has(name)) registered.set(name, loaderOf(name, kind));
    }
  }
  return registered;
}

export const registry: CodecRegistry = /* @__PURE__ */ withOwnCodecs();
