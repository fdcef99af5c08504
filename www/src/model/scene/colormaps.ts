/** The colormaps of menus, colour bars and the picture, from d3-scale-chromatic. */
import * as chromatic from "d3-scale-chromatic";

export interface Colormap {
  name: string;
  kind: "sequential" | "diverging" | "cyclic";
}

type Interpolator = (share: number) => string;

const GRAY: Interpolator = (share) => {
  const level = Math.round(share * 255);
  return `rgb(${level}, ${level}, ${level})`;
};

const from =
  (interpolate: Interpolator): Interpolator =>
  (share) =>
    interpolate(1 - share);

const SEQUENTIAL: Record<string, Interpolator> = {
  viridis: chromatic.interpolateViridis,
  cividis: chromatic.interpolateCividis,
  magma: chromatic.interpolateMagma,
  inferno: chromatic.interpolateInferno,
  plasma: chromatic.interpolatePlasma,
  turbo: chromatic.interpolateTurbo,
  gray: GRAY,
  blues: chromatic.interpolateBlues,
  greens: chromatic.interpolateGreens,
  oranges: chromatic.interpolateOranges,
  purples: chromatic.interpolatePurples,
  YlGnBu: chromatic.interpolateYlGnBu,
  YlOrRd: chromatic.interpolateYlOrRd,
};

/** Diverging maps, from cold or brown to warm or green. */
const DIVERGING: Record<string, Interpolator> = {
  "blue-red": from(chromatic.interpolateRdBu),
  "blue-yellow-red": from(chromatic.interpolateRdYlBu),
  "brown-teal": chromatic.interpolateBrBG,
  "purple-orange": from(chromatic.interpolatePuOr),
  "pink-green": chromatic.interpolatePiYG,
};

const CYCLIC: Record<string, Interpolator> = {
  rainbow: chromatic.interpolateRainbow,
  sinebow: chromatic.interpolateSinebow,
};

const ALL: Record<string, Interpolator> = { ...SEQUENTIAL, ...DIVERGING, ...CYCLIC };

const named = (maps: Record<string, Interpolator>, kind: Colormap["kind"]): Colormap[] =>
  Object.keys(maps).map((name) => ({ name, kind }));

export const COLORMAPS: readonly Colormap[] = [
  ...named(SEQUENTIAL, "sequential"),
  ...named(DIVERGING, "diverging"),
  ...named(CYCLIC, "cyclic"),
];

/**
 * The CSS colours of a map from low to high. An unknown name gives viridis.
 */
export function colormapColors(name: string, count: number, reversed = false): string[] {
  const interpolate = (Object.hasOwn(ALL, name) ? ALL[name] : undefined) ?? chromatic.interpolateViridis;
  const last = Math.max(count - 1, 1);
  return Array.from({ length: count }, (_, at) => interpolate((reversed ? last - at : at) / last));
}

/** A map as a gradient of CSS. */
export const gradient = (colormap: string, reversed = false): string =>
  `linear-gradient(to right, ${colormapColors(colormap, 24, reversed).join(", ")})`;
