/** Data sets that are served beside the page: they show what it can do, and work without a network. */

export interface Sample {
  name: string;
  /** What one sees in it, in a few words. */
  about: string;
  /** Relative to the page. */
  source: string;
}

/** The first one is what a page without a source shows. */
export const SAMPLES: readonly Sample[] = [
  { name: "Cells", about: "Microscopy: three channels, a stack", source: "./demo/cells.ome.zarr" },
  { name: "Climate", about: "A year on a globe: temperature, rain, wind", source: "./demo/climate.zarr" },
];
