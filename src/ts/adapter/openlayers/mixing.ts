/** Mixes channels to one picture by adding their colours. */
import { pauseIfDue } from "../../elements/pause.ts";
import { planeOf, type Spans, type TileElements } from "./texels.ts";
import type { TileLevel } from "./tile_levels.ts";

/** The look of a channel. */
export interface MixedChannel {
  /** The index along the axis of channels. */
  channel: number;
  color: readonly [red: number, green: number, blue: number];
  window: readonly [number, number];
  /** The exponent for positions in the window, from 0 to 1. */
  gamma: number;
}

/** Number of rows between two checks of the clock. */
const ROWS = 16;

/** Resolves to the colours of a tile, four bytes a pixel. Other tasks run in between. */
export async function mixTile(
  level: TileLevel,
  spans: Spans,
  channels: readonly (TileElements & MixedChannel)[],
  signal: AbortSignal,
): Promise<Uint8Array> {
  const out = new Uint8Array(level.tileWidth * level.tileHeight * 4);
  const mix = tileMixer(level, spans, channels, out);
  for (let row = 0; row < level.tileHeight; row += ROWS) {
    mix(row, Math.min(row + ROWS, level.tileHeight));
    await pauseIfDue();
    signal.throwIfAborted();
  }
  return out;
}

/** Returns the function that mixes rows of a tile. */
export function tileMixer(
  level: TileLevel,
  spans: Spans,
  channels: readonly (TileElements & MixedChannel)[],
  out: Uint8Array,
): (from: number, to: number) => void {
  const width = level.tileWidth;
  const light = new Float32Array(width * 4);
  const adders = channels.map((channel) => lineAdder(planeOf(level, spans, channel, true), channel, light));
  return (from, to) => {
    for (let v = from; v < to; v += 1) {
      light.fill(0);
      for (const add of adders) add(v * width);
      const at = v * width * 4;
      for (let part = 0; part < light.length; part += 1) {
        const value = light[part] as number;
        out[at + part] = value > 255 ? 255 : value + 0.5;
      }
    }
  };
}

/** Adds one row of a channel. */
function lineAdder(plane: Float32Array, { color, gamma, window }: MixedChannel, light: Float32Array) {
  const [low, scale] = [window[0], 1 / Math.max(window[1] - window[0], Number.MIN_VALUE)];
  const [red, green, blue] = color;
  const width = light.length / 4;
  return (line: number): void => {
    for (let u = 0, at = 0; u < width; u += 1, at += 4) {
      const value = plane[line + u] as number;
      if (Number.isNaN(value)) continue;
      light[at + 3] = 255;
      if (value <= low) continue;
      let share = (value - low) * scale;
      if (share > 1) share = 1;
      else if (gamma !== 1) share = share ** gamma;
      light[at] = (light[at] as number) + share * red;
      light[at + 1] = (light[at + 1] as number) + share * green;
      light[at + 2] = (light[at + 2] as number) + share * blue;
    }
  };
}
