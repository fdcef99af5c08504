/** The data sets that are part of the page. www/samples/README.md describes how they are made. */

export type Sample = readonly [name: string, about: string, address: string];

export const FIRST_SAMPLE = "./samples/cells.ome.zarr";

export const SAMPLES: readonly Sample[] = [
  ["Cells", "Microscopy: three channels, a stack, over time", FIRST_SAMPLE],
  ["Climate", "Two years of months: temperature, rain, the sea's surface", "./samples/climate.zarr"],
  ["Arctic", "The far north in a polar projection: colours and heights", "./samples/arctic.zarr"],
  ["Tissue", "A layer of cells, and the labels of each cell and nucleus", "./samples/tissue.ome.zarr"],
];
