/** Data sets that are part of the page: they show what it can do, and work without a network. */

export interface Sample {
  name: string;
  /** What one sees in it, in a few words. */
  about: string;
  /** Relative to the page. */
  source: string;
}

/**
 * The first one is what a page without a source shows. Scripts of other libraries make them: see
 * www/samples/README.md.
 */
export const SAMPLES: readonly Sample[] = [
  {
    name: "Cells",
    about: "Microscopy: three channels, a stack, over time",
    source: "./samples/cells.ome.zarr",
  },
  {
    name: "Climate",
    about: "Two years of months: temperature, rain, the sea's surface",
    source: "./samples/climate.zarr",
  },
  {
    name: "Arctic",
    about: "The far north in a polar projection: colours and heights",
    source: "./samples/arctic.zarr",
  },
  {
    name: "Tissue",
    about: "A layer of cells, and the labels of each cell and nucleus",
    source: "./samples/tissue.ome.zarr",
  },
];
