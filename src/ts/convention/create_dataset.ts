/**
 * `createDataset`: the call and its types. `write/` has the rest. It is imported statically, as the
 * code of `copy` and `warp` is: bundlers omit it from programs that do not use it. As a chunk of
 * its own, it would keep modules alive that it shares with other exported names, and bundlers would
 * put them into the first download.
 */

import type { Location } from "../api/location.ts";
import { need, optionsOf, type Rules } from "../model/argument.ts";
import type { Readable } from "../model/types.ts";
import type { CreateDatasetOptions, Dataset, NewDataset } from "./write/dataset_options.ts";
import { writeDataset } from "./write/dataset_writer.ts";

export type {
  CreateDatasetOptions,
  Dataset,
  DatasetProgress,
  NewDataset,
  NewVariable,
  VariableData,
} from "./write/dataset_options.ts";

const RULES: Rules = { dims: "an object", coords: "an object", variables: "an object" };

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
  const described = optionsOf(dataset, RULES, "dataset");
  need(typeof (described.attributes ?? {}) === "object", "dataset", "a description of a data set");
  return (await writeDataset(place, described, optionsOf(options))) as Dataset<Store>;
}
