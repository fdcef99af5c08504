/** What encodes the frames of a film. `film.ts` chooses one. */

export type FilmFormat = "mp4" | "webm" | "gif";

/** Takes the frames of a canvas, one after the other. */
export interface FilmEncoder {
  /** Adds what is on the canvas. Resolves when the next frame may come. */
  add(): Promise<void>;
  finish(): Promise<Blob>;
  /** Drops what was encoded. */
  cancel(): Promise<void>;
}

export interface Film {
  canvas: HTMLCanvasElement;
  /** Frames per second. */
  speed: number;
}
