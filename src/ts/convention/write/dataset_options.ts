/**
 * The description of a new data set, as xarray would print it.
 */
import type { Array as ZarrArray } from "../../api/array.ts";
import type { CreateArrayOptions } from "../../api/create.ts";
import type { Group } from "../../api/group.ts";
import type { ElementSource } from "../../api/write/element_source.ts";
import type { Attributes, DataType, Readable } from "../../model/types.ts";
import type { DateLike } from "../time.ts";

/**
 * The elements of a variable: a source, or a flat list in C order of numbers, booleans, texts or
 * dates. Dates become counts of `attributes.units` in `attributes.calendar`; without units, of the
 * coarsest units since 1970 in which they are whole.
 */
export type VariableData =
  | ElementSource
  | ArrayLike<number | bigint | boolean | string>
  | readonly DateLike[];

/** A variable: an array with named dimensions. Other options are those of `create`. */
export interface NewVariable
  extends Omit<
    Partial<CreateArrayOptions>,
    "path" | "kind" | "shape" | "dimensionNames" | "zarrFormat" | "overwrite" | "signal"
  > {
  /** The names of its dimensions. Default for a coordinate: its own name. */
  dims?: readonly string[];
  /** Its elements. Without them, all elements are missing until `set` writes them. */
  data?: VariableData;
  /**
   * The value of missing elements: Zarr's fill value, and the attribute `_FillValue`, as xarray
   * writes it. Default: NaN for variables of floats, else none.
   */
  fillValue?: number | bigint;
  /** CF's attributes, such as `units`, `standard_name` and `scale_factor`. */
  attributes?: Attributes;
}

export interface NewDataset {
  /** The lengths of dimensions. Those of variables with data may be omitted. */
  dims?: Readonly<Record<string, number>>;
  /**
   * Coordinates by name. One that is only data has the dimension of its name. Those with other
   * dimensions are named in the attribute `coordinates` of the variables.
   */
  coords?: Readonly<Record<string, NewVariable | VariableData>>;
  variables?: Readonly<Record<string, NewVariable>>;
  /** The attributes of the group, such as `title` and `Conventions`. */
  attributes?: Attributes;
}

/** The progress of `createDataset`. */
export interface DatasetProgress {
  /** Name of the variable that is being written. */
  variable: string;
  /** Number of elements of all variables that are written, and their total. */
  elements: number;
  totalElements: number;
}

export interface CreateDatasetOptions {
  /** Path of the group below the given place, taken literally. */
  path?: string;
  /** Default: 3. */
  zarrFormat?: 2 | 3;
  /** Whether to write consolidated metadata; the store must be able to list. Default: true. */
  consolidated?: boolean;
  /** Whether to erase an existing node at the place. Default: false. */
  overwrite?: boolean;
  signal?: AbortSignal;
  /** Called after each box of elements that is written. */
  onProgress?: (progress: DatasetProgress) => void;
}

/** A data set that has been written. */
export interface Dataset<Store extends Readable = Readable> {
  group: Group<Store>;
  /** Coordinates and variables by name. */
  arrays: Record<string, ZarrArray<DataType, Store>>;
}
