/**
 * OpenLayers styles for the tiles of a `PyramidSource`: channels whose colours are added, and
 * numbers as colours of a palette. Windows, colours and gammas are style variables:
 * `layer.updateStyleVariables(...)` changes them without requests and without a new shader.
 */
import type { Style } from "ol/layer/WebGLTile.js";
import type { BandLayout } from "./bands.ts";
import type { MixedChannel } from "./mixing.ts";

type Expression = (string | number | Expression)[];
type Variables = Record<string, number>;

/** Returns the expression for the position in a window, from 0 to 1. */
const share = (band: number, suffix: string): Expression => [
  "clamp",
  [
    "/",
    ["-", ["band", band], ["var", `low${suffix}`]],
    ["-", ["var", `high${suffix}`], ["var", `low${suffix}`]],
  ],
  0,
  1,
];

const alphaOf = ({ hasMask, count }: BandLayout): Expression | number => (hasMask ? ["band", count] : 1);

/** Returns the ends of a window in units of the texture. They are never equal. */
function ends([low, high]: readonly [number, number], { origin, unit }: BandLayout): [number, number] {
  const [from, to] = [(low - origin) / unit, (high - origin) / unit];
  const least = Math.max(Math.abs(from), Math.abs(to), 1e-30) * 1e-6;
  return [from, to - from > least ? to : from + least];
}

/** Returns the variables of `channelStyle`. Null means that a channel is not drawn. */
export function channelVariables(layout: BandLayout, channels: readonly (MixedChannel | null)[]): Variables {
  const variables: Variables = {};
  for (const [at, channel] of channels.entries()) {
    const [low, high] = ends(channel?.window ?? [0, 1], layout);
    const [red, green, blue] = channel?.color ?? [0, 0, 0];
    const own = { low, high, gamma: channel?.gamma ?? 1, red, green, blue };
    for (const [name, value] of Object.entries(own)) variables[`${name}${at + 1}`] = value;
  }
  return variables;
}

/**
 * Returns a style that adds the colours of channels. A gamma of 1 costs nothing, but a change from
 * 1 or to 1 requires a new style. Tiles that are pictures are drawn unchanged.
 */
export function channelStyle(layout: BandLayout, channels: readonly (MixedChannel | null)[]): Style {
  if (layout.isPicture) return {};
  const light = (name: string): Expression | number => {
    const parts = channels.map((channel, at): Expression => {
      const place = share(at + 1, `${at + 1}`);
      const isCurved = channel !== null && channel.gamma !== 1;
      const curved: Expression = isCurved ? ["^", place, ["var", `gamma${at + 1}`]] : place;
      return ["*", curved, ["var", `${name}${at + 1}`]];
    });
    const sum = parts.length > 1 ? (["+", ...parts] as Expression) : (parts[0] ?? 0);
    return ["clamp", sum, 0, 255];
  };
  const color = ["color", light("red"), light("green"), light("blue"), alphaOf(layout)];
  return { variables: channelVariables(layout, channels), color };
}

export interface Palette {
  /** CSS colours from low to high. */
  colors: readonly string[];
  window: readonly [number, number];
}

/** Returns the variables of `paletteStyle`. */
export function paletteVariables(layout: BandLayout, window: readonly [number, number]): Variables {
  const [low, high] = ends(window, layout);
  return { low, high };
}

/** Returns a style that shows the first band in the colours of a palette. */
export function paletteStyle(layout: BandLayout, { colors, window }: Palette): Style {
  const place: Expression = ["*", share(1, ""), colors.length - 1];
  const color: Expression = ["palette", place, colors as unknown as Expression];
  const variables = paletteVariables(layout, window);
  if (!layout.hasMask) return { variables, color };
  return { variables, color: ["case", ["<", ["band", layout.count], 0.5], ["color", 0, 0, 0, 0], color] };
}
