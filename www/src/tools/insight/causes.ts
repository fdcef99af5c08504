/**
 * Why a view is slow: the likely causes, as sentences with what can be done. It compares what a
 * view needs with what the store makes it read. It sees plain values only.
 */

import { bytesText, countText, shapeText } from "../../model/text/numbers.js";

/** What is known of a view and of its array. */
export interface Evidence {
  /** The server, for sentences. */
  host: string;
  /** The shape of a chunk, of an inner one in shards, by axis. */
  chunk: readonly number[];
  isSharded: boolean;
  /** Bytes of an element. */
  elementBytes: number;
  /** The number of levels of the pyramid. */
  levels: number;
  /** What the view reads: see `ReadPlan`. */
  plan: { chunkCount: number; objectCount: number; resultBytes: number; decodedBytes: number };
  /** The elements of the plane in view, and the pixels of the screen that show them. */
  elements: number;
  pixels: number;
  /** A size of chunks that suits views of this array. */
  better: readonly number[];
  /** Whether the server sends whole files where a part is asked for. */
  ignoresRanges: boolean;
  /** The headers that the server does not show to this page. */
  hiddenHeaders: readonly string[];
  /** In the last minute: decoding in ms by codecs, and waiting for tiles in ms. */
  decodeMs: Readonly<Record<string, number>>;
  waitingMs: number;
}

export interface Cause {
  id: "ranges" | "headers" | "large-chunks" | "tiny-chunks" | "gzip" | "no-pyramid";
  /** How many times more work it makes, about. */
  factor: number;
  cause: string;
  cure: string;
}

const MIB = 2 ** 20;
/** Less than this is no wait. */
const MIN_BYTES = 4 * MIB;
const MIN_REQUESTS = 64;
const MIN_DECODE_MS = 100;

/** The likely causes, the heaviest first. */
export function causesOf(evidence: Evidence): Cause[] {
  const all = [ranges, largeChunks, tinyChunks, noPyramid, gzip, headers].map((find) => find(evidence));
  return all.filter((cause) => cause !== null).sort((a, b) => b.factor - a.factor);
}

function ranges({ ignoresRanges, host }: Evidence): Cause | null {
  if (!ignoresRanges) return null;
  return {
    id: "ranges",
    factor: 1000,
    cause: `${host} sends whole files where parts are asked for, so a view that needs a few chunks of a shard or an archive loads all of it.`,
    cure: "Use a server or a mirror that answers Range with 206, as object stores do.",
  };
}

function largeChunks({ plan, chunk, better, elementBytes }: Evidence): Cause | null {
  const factor = plan.decodedBytes / Math.max(plan.resultBytes, 1);
  if (factor < 8 || plan.decodedBytes < MIN_BYTES) return null;
  const size = chunk.reduce((product, length) => product * length, elementBytes);
  return {
    id: "large-chunks",
    factor,
    cause: `The chunks are too large for this view: each has ${shapeText(chunk)} elements (${bytesText(size)} decoded), and the view shows 1 of ${countText(Math.round(factor))} elements that are read.`,
    cure: `Write the array with chunks of about ${shapeText(better)}, in shards if that makes very many files.`,
  };
}

function tinyChunks({ plan, chunk, isSharded, elementBytes }: Evidence): Cause | null {
  const size = chunk.reduce((product, length) => product * length, elementBytes);
  if (isSharded || plan.objectCount < MIN_REQUESTS || size > MIB / 16) return null;
  return {
    id: "tiny-chunks",
    factor: plan.objectCount / Math.max(1, plan.decodedBytes / MIB),
    cause: `The chunks are tiny: this view needs ${countText(plan.objectCount)} requests for chunks of ${bytesText(size)} each, and each waits for the server.`,
    cure: "Write the array with shards, which one request reads in parts, or with chunks of about 1 MiB.",
  };
}

function noPyramid({ levels, elements, pixels, plan }: Evidence): Cause | null {
  const factor = elements / Math.max(pixels, 1);
  if (levels > 1 || factor < 4 || plan.decodedBytes < MIN_BYTES) return null;
  return {
    id: "no-pyramid",
    factor,
    cause: `There are no coarser levels: this view reads ${countText(Math.round(factor))} elements for each pixel of the screen.`,
    cure: "Write a pyramid beside the array, as OME-Zarr or multiscales; createPyramid of this package does. Or zoom in.",
  };
}

function gzip({ decodeMs, waitingMs, plan }: Evidence): Cause | null {
  const slow = Object.entries(decodeMs).filter(([codecs]) => /\b(gzip|zlib|bz2|lzma)\b/.test(codecs));
  const ms = slow.reduce((sum, [, own]) => sum + own, 0);
  const all = Object.values(decodeMs).reduce((sum, own) => sum + own, 0);
  if (ms < MIN_DECODE_MS || ms < all / 2 || ms < waitingMs / 10) return null;
  const name = /\b(gzip|zlib|bz2|lzma)\b/.exec(slow[0]?.[0] ?? "")?.[1] ?? "gzip";
  return {
    id: "gzip",
    factor: plan.decodedBytes > 0 ? 3 : 2,
    cause: `Decoding takes long: ${name} took ${secondsText(ms)} in the last minute, in which the picture waited for ${secondsText(waitingMs)}.`,
    cure: "Write the array with zstd or blosc, which decode several times as fast and make files no larger.",
  };
}

const secondsText = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

function headers({ hiddenHeaders, host }: Evidence): Cause | null {
  if (hiddenHeaders.length === 0) return null;
  return {
    id: "headers",
    factor: 1,
    cause: `${host} does not show ${hiddenHeaders.join(" and ")} to pages of other sites. That costs little time, but files that change while they are read may go unnoticed.`,
    cure: "Ask its owner to send Access-Control-Expose-Headers: Content-Range, ETag.",
  };
}
