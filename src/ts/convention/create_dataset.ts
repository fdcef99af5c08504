/**
 * `createDataset`. Its code is a chunk of its own, which pages that only read do not download.
 */
import type { Location } from "../api/location.ts";
import type { Readable } from "../model/types.ts";
import { chunkFailed } from "../port/chunk_failed.ts";
import type { CreateDatasetOptions, Dataset, NewDataset } from "./write/dataset_options.ts";

export type {
  CreateDatasetOptions,
  Dataset,
  DatasetProgress,
  NewDataset,
  NewVariable,
  VariableData,
} from "./write/dataset_options.ts";

/**
 * Writes a data set as xarray does: a group whose arrays share named dimensions. Coordinates are
 * arrays with the names of their dimensions, dates become counts of CF's units of time, and
 * metadata are consolidated. `xarray.open_zarr` reads the same values.
 *
 * Resolves to the group and its arrays. Rejects with an `Argument` error, before anything is
 * written, if the description contradicts itself.
 *
 *     await createDataset(store, {
 *       coords: { time: [new Date("2026-01-01")], lat: new Float64Array([50, 40]) },
 *       variables: { heat: { dims: ["time", "lat"], data: new Float32Array([280, 290]) } },
 *     });
 */
export async function createDataset<Store extends Readable>(
  place: Location<Store> | Store | string | URL,
  dataset: NewDataset,
  options: CreateDatasetOptions = {},
): Promise<Dataset<Store>> {
  const { writeDataset } = await import("./write/dataset_writer.ts").catch(chunkFailed);
  return (await writeDataset(place, dataset, options)) as Dataset<Store>;
}
