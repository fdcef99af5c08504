/** Decodes one chunk with numcodecs.js, as zarrita does, or with the browser's inflate. */
import Blosc from "numcodecs/blosc";
import GZip from "numcodecs/gzip";
import LZ4 from "numcodecs/lz4";
import Zstd from "numcodecs/zstd";

const CODECS = { blosc: Blosc, gzip: GZip, "numcodecs.lz4": LZ4, zstd: Zstd };
const SHUFFLES = { noshuffle: 0, shuffle: 1, bitshuffle: 2 };

/** Converts a v3 configuration to one of numcodecs: only the names of Blosc's shuffles differ. */
export function numcodecsOf({ name, configuration = {} }) {
  const shuffle = SHUFFLES[configuration.shuffle] ?? configuration.shuffle;
  return CODECS[name].fromConfig({
    id: name,
    ...configuration,
    ...(shuffle === undefined ? {} : { shuffle }),
  });
}

export async function inflateByBrowser(bytes) {
  const stream = new Response(bytes).body.pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
