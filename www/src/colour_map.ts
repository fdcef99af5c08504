/** Colour maps: 256 colours from low to high. The perceptual ones come from d3-scale-chromatic, which has them from matplotlib and ColorBrewer. */

import {
  interpolateCividis,
  interpolateInferno,
  interpolateMagma,
  interpolateRdBu,
  interpolateTurbo,
  interpolateViridis,
} from "d3-scale-chromatic";

export type Colour = readonly [red: number, green: number, blue: number];

const grey = (position: number) => `rgb(${[0, 0, 0].fill(Math.round(position * 255)).join(",")})`;

const MAPS: Record<string, (position: number) => string> = {
  grey,
  "grey, inverted": (position) => grey(1 - position),
  viridis: interpolateViridis,
  magma: interpolateMagma,
  inferno: interpolateInferno,
  cividis: interpolateCividis,
  turbo: interpolateTurbo,
  "blue–red": (position) => interpolateRdBu(1 - position),
};

export const COLOUR_MAPS = Object.keys(MAPS);

/** The 256 colours of a map; grey for a name that is unknown. */
export function coloursOf(name: string): Colour[] {
  const map = MAPS[name] ?? grey;
  return globalThis.Array.from({ length: 256 }, (_, step) => parseColour(map(step / 255)));
}

/** d3 writes its sampled maps as `#rrggbb` and its splines as `rgb(r, g, b)`. */
function parseColour(text: string): Colour {
  const parts = text.startsWith("#")
    ? [1, 3, 5].map((from) => Number.parseInt(text.slice(from, from + 2), 16))
    : (text.match(/[\d.]+/g) ?? []).map(Number);
  return [parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0];
}
