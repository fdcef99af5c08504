/** The samples: data sets that are part of the page and work without a network. */

export interface Sample {
  name: string;
  /** A short description. */
  about: string;
  /** The URL relative to the page. */
  source: string;
}

/**
 * A page without a source shows the first one. www/samples/README.md describes the scripts that
 * make them with other libraries.
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
