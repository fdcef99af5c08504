/** Encodes films as GIF, with the 256 best colours of each frame. */

import { applyPalette, GIFEncoder, quantize } from "gifenc";
import type { Film, FilmEncoder } from "./film_encoder.js";

const COLORS = 256;

export function gifEncoder({ canvas, speed }: Film): FilmEncoder {
  const encoder = GIFEncoder();
  return {
    async add() {
      const { width, height } = canvas;
      const pixels = canvas.getContext("2d")?.getImageData(0, 0, width, height).data;
      if (!pixels) throw new Error("This browser has no memory for a picture of this size.");
      const palette = quantize(pixels, COLORS);
      encoder.writeFrame(applyPalette(pixels, palette), width, height, { palette, delay: 1000 / speed });
    },
    async finish() {
      encoder.finish();
      return new Blob([encoder.bytes()], { type: "image/gif" });
    },
    async cancel() {},
  };
}
