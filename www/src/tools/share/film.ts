/**
 * A play along a dimension as a file: MP4 or WebM by the browser's codecs, GIF where it has none.
 * The encoders are loaded when a film is made.
 */

import type { Film, FilmEncoder, FilmFormat } from "./film_encoder.js";

/** The formats that this browser can make at a size, the best first. */
export async function formatsFor(size: readonly [number, number]): Promise<FilmFormat[]> {
  if (!("VideoEncoder" in globalThis)) return ["gif"];
  const { videoFormats } = await import("./video_encoder.js");
  return [...(await videoFormats(size)), "gif"];
}

export async function filmEncoder(format: FilmFormat, film: Film): Promise<FilmEncoder> {
  if (format === "gif") return (await import("./gif_encoder.js")).gifEncoder(film);
  return (await import("./video_encoder.js")).videoEncoder(format, film);
}

/** How a film is made. */
export interface Shooting {
  /** The index of each frame along the dimension. */
  steps: readonly number[];
  /** Draws a step on the canvas of the encoder. */
  draw(step: number): Promise<void>;
  onProgress(done: number): void;
  signal: AbortSignal;
}

/** Draws and encodes every step. Rejects with the signal's reason after an abort. */
export async function shoot(
  encoder: FilmEncoder,
  { steps, draw, onProgress, signal }: Shooting,
): Promise<Blob> {
  try {
    for (const [done, step] of steps.entries()) {
      onProgress(done);
      await draw(step);
      signal.throwIfAborted();
      await encoder.add();
      signal.throwIfAborted();
    }
    onProgress(steps.length);
    return await encoder.finish();
  } catch (error) {
    await encoder.cancel();
    throw error;
  }
}
