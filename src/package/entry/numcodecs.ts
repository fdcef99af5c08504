/** `zarr-wasm/numcodecs`: the codecs of numcodecs.js, which the engine runs. */
export {
  Blosc,
  type BloscConfig,
  type Codec,
  type CodecConstructor,
  GZip,
  type LevelConfig,
  LZ4,
  type LZ4Config,
  Zlib,
  Zstd,
} from "../compat/numcodecs.ts";
