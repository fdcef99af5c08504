/** Encodes films by WebCodecs, through mediabunny. */

import {
  BufferTarget,
  CanvasSource,
  getFirstEncodableVideoCodec,
  Mp4OutputFormat,
  Output,
  QUALITY_VERY_HIGH,
  type VideoCodec,
  WebMOutputFormat,
} from "mediabunny";
import type { Film, FilmEncoder, FilmFormat } from "./film_encoder.js";

/** The codecs of each format that many players know, the best first. */
const CODECS: Record<Exclude<FilmFormat, "gif">, VideoCodec[]> = {
  mp4: ["avc"],
  webm: ["vp9", "vp8"],
};

const FORMATS = ["mp4", "webm"] as const;

function codecFor(format: keyof typeof CODECS, [width, height]: readonly [number, number]) {
  return getFirstEncodableVideoCodec(CODECS[format], { width, height });
}

export async function videoFormats(size: readonly [number, number]): Promise<FilmFormat[]> {
  const codecs = await Promise.all(FORMATS.map((format) => codecFor(format, size)));
  return FORMATS.filter((_, at) => codecs[at] !== null);
}

export async function videoEncoder(
  format: keyof typeof CODECS,
  { canvas, speed }: Film,
): Promise<FilmEncoder> {
  const codec = await codecFor(format, [canvas.width, canvas.height]);
  if (!codec)
    throw new Error(`This browser encodes no ${format} of ${canvas.width} × ${canvas.height} pixels.`);
  const target = new BufferTarget();
  const output = new Output({
    format: format === "mp4" ? new Mp4OutputFormat() : new WebMOutputFormat(),
    target,
  });
  const source = new CanvasSource(canvas, { codec, quality: QUALITY_VERY_HIGH });
  output.addVideoTrack(source, { frameRate: speed });
  await output.start();
  let frames = 0;
  return {
    add() {
      frames += 1;
      return source.add((frames - 1) / speed, 1 / speed);
    },
    async finish() {
      await output.finalize();
      return new Blob([target.buffer as ArrayBuffer], { type: `video/${format}` });
    },
    cancel: () => output.cancel(),
  };
}
