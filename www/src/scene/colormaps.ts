/** Colormaps by name, for menus, colour bars and the picture. */

export interface Colormap {
  name: string;
  kind: "sequential" | "diverging" | "cyclic";
}

export const COLORMAPS: readonly Colormap[] = [{ name: "viridis", kind: "sequential" }];

/** Colours of a map from its low to its high end, as CSS colours. */
export const colormapColors = (_name: string, _count: number, _reversed = false): string[] => [];
