/** Codecs in words: what each does when an array is written, in the order of the metadata. */

interface Codec {
  name: string;
  configuration?: unknown;
}

type Settings = Readonly<Record<string, unknown>>;

const settingsOf = ({ configuration }: Codec): Settings =>
  typeof configuration === "object" && configuration !== null ? (configuration as Settings) : {};

/** `number` is that of a setting, in words, or nothing. */
const level = ({ level, clevel }: Settings): string => {
  const number = level ?? clevel;
  return typeof number === "number" || typeof number === "bigint" ? `, level ${number}` : "";
};

const shape = (value: unknown) => (Array.isArray(value) ? value.map(String).join(" × ") : "smaller ones");

const WORDS: Record<string, (settings: Settings) => string> = {
  bytes: ({ endian }) =>
    endian === undefined ? "elements follow each other" : `elements follow each other, ${endian}-endian`,
  transpose: ({ order }) => `dimensions are reordered to ${shape(order).replaceAll(" × ", ", ")}`,
  sharding_indexed: ({ chunk_shape, index_location = "end" }) =>
    `each shard is split into chunks of ${shape(chunk_shape)}, found by an index at its ${index_location}`,
  gzip: (settings) => `compressed by gzip${level(settings)}`,
  zlib: (settings) => `compressed by zlib${level(settings)}`,
  zstd: (settings) => `compressed by Zstandard${level(settings)}`,
  lz4: () => "compressed by LZ4",
  bz2: (settings) => `compressed by bzip2${level(settings)}`,
  blosc: (settings) =>
    `compressed by Blosc (${settings.cname ?? "lz4"}${level(settings)}${shuffleOf(settings.shuffle)})`,
  crc32c: () => "followed by a CRC-32C checksum",
  "vlen-utf8": () => "texts of any length, as UTF-8",
  "vlen-bytes": () => "byte strings of any length",
  shuffle: () => "bytes of equal significance are put together",
  delta: () => "each element is stored as the difference from the one before",
  fixedscaleoffset: ({ scale, offset }) => `numbers are packed: (value − ${offset}) × ${scale}`,
  scale_offset: ({ scale = 1, offset = 0 }) => `numbers are packed: (value − ${offset}) × ${scale}`,
  bitround: ({ keepbits }) => `mantissas are rounded to ${keepbits} bits`,
  packbits: () => "eight booleans share a byte",
  pcodec: (settings) => `compressed by Pcodec${level(settings)}`,
  zfp: () => "compressed by ZFP",
};

function shuffleOf(shuffle: unknown): string {
  if (shuffle === "noshuffle" || shuffle === 0 || shuffle === undefined) return "";
  return shuffle === "bitshuffle" || shuffle === 2 ? ", bits shuffled" : ", bytes shuffled";
}

/** A sentence for each codec. Those inside of shards are one level deeper. */
export interface CodecWords {
  name: string;
  words: string;
  inner: CodecWords[];
}

export function codecWords(codecs: readonly Codec[]): CodecWords[] {
  return codecs.map((codec) => {
    const name = codec.name.replace(/^(numcodecs|imagecodecs)[._]/, "");
    const settings = settingsOf(codec);
    const words = Object.hasOwn(WORDS, name) ? WORDS[name]?.(settings) : undefined;
    const inner = Array.isArray(settings.codecs) ? codecWords(settings.codecs as Codec[]) : [];
    return { name: codec.name, words: words ?? `encoded by ${codec.name}`, inner };
  });
}
