/** numcodecs.js, as zarrita uses it, and the browser's own inflate: one chunk in, its bytes out. */
import Blosc from "numcodecs/blosc";
import GZip from "numcodecs/gzip";
import LZ4 from "numcodecs/lz4";
import Zstd from "numcodecs/zstd";

const CODECS = { blosc: Blosc, gzip: GZip, "numcodecs.lz4": LZ4, zstd: Zstd };
const SHUFFLES = { noshuffle: 0, shuffle: 1, bitshuffle: 2 };

/** v3 configurations are those of numcodecs but for the names of Blosc's shuffles. */
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
