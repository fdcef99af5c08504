/**
 * `createDataset` writes a data set: the group, its coordinates and variables, and consolidated
 * metadata. Names and attributes are those that xarray writes and reads (`encode_cf_variable`).
 *
 * The code is imported statically, as that of `copy` and `warp` is: bundlers omit it from programs
 * that do not use it. As a chunk of its own, it would keep modules alive that it shares with other
 * exported names, and bundlers would put them into the first download.
 */
import type { AnyArray } from "../../../api/array.ts";
import { arrayRules, createNode } from "../../../api/create.ts";
import type { Group } from "../../../api/group.ts";
import { consolidate, Location, locationOf } from "../../../api/location.ts";
import { type ElementSource, openSource, writeSource } from "../../../api/write/element_source.ts";
import { product } from "../../../engine/ts/elements/typed_arrays.ts";
import { object, optionsOf, type Rules, refuse, SIGNAL } from "../../../engine/ts/model/argument.ts";
import { below } from "../../../engine/ts/model/node_like.ts";
import type { Attributes, Readable } from "../../../engine/ts/model/types.ts";
import {
  type CreateDatasetOptions,
  type Dataset,
  type FlatData,
  fillAttribute,
  fillValueIn,
  flatData,
  isFlat,
  isNumpyFloat,
  isSource,
  type NewDataset,
  type NewVariable,
  shaped,
  type VariableData,
  withoutFill,
} from "./dataset.ts";

/** A variable whose elements and attributes are known, but not its shape. */
interface Variable {
  name: string;
  isCoordinate: boolean;
  dims: readonly string[];
  given: NewVariable;
  attributes: Attributes;
  dtype: NewVariable["dtype"];
  fillValue: number | bigint | undefined;
  flat?: FlatData;
}

/** A coordinate that is only data has the dimension of its name. */
const described = (name: string, given: NewVariable | VariableData): NewVariable =>
  isFlat(given as VariableData) || isSource(given)
    ? { dims: [name], data: given as VariableData }
    : { dims: [name], ...(given as NewVariable) };

async function variableOf(name: string, given: NewVariable, isCoordinate: boolean): Promise<Variable> {
  const field = `${isCoordinate ? "coords" : "variables"}.${name}`;
  const rules = { ...arrayRules(object(given, field)), dims: "a list", data: "anything" } as const;
  optionsOf(given, rules, field, undefined, `${field}.`);
  const { data, dims, attributes = {} } = given;
  if (!dims) return refuse(`the variable ${JSON.stringify(name)} has no dimensions`, "dims", dims);
  if (name === "" || name.includes("/")) refuse("the name of a variable is not valid", "no slash", name);
  const flat = isFlat(data) ? await flatData(name, data, given) : undefined;
  const source = data !== undefined && isSource(data) ? openSource(data) : undefined;
  const dtype = given.dtype ?? flat?.dtype ?? source?.dtype;
  if (dtype === undefined)
    return refuse(`the variable ${JSON.stringify(name)} has no data type`, "dtype or data", "neither");
  const otherwise = isNumpyFloat(dtype) && !isCoordinate ? Number.NaN : undefined;
  const own = source && fillValueIn(source);
  const fillValue = given.fillValue ?? flat?.fillValue ?? own ?? otherwise;
  return {
    name,
    isCoordinate,
    dims,
    given,
    attributes: { ...withoutFill(source?.attributes ?? {}), ...(flat?.attributes ?? attributes) },
    dtype,
    fillValue,
    flat,
  };
}

/** Returns the length of each dimension, from the description and from the data. */
function lengthsOf({ dims = {} }: NewDataset, variables: readonly Variable[]): Map<string, number> {
  const lengths = new Map<string, number>(Object.entries(dims));
  const learn = (name: string, dim: string, length: number) => {
    const before = lengths.get(dim);
    if (before !== undefined && before !== length) {
      const what = `the dimension ${JSON.stringify(dim)} of ${JSON.stringify(name)} has another length`;
      refuse(what, String(before), length);
    }
    lengths.set(dim, length);
  };
  for (const { name, dims: own, given, flat } of variables) {
    if (flat && own.length === 1) learn(name, own[0] as string, flat.data.length);
    if (given.data === undefined || flat) continue;
    const { shape } = openSource(given.data as ElementSource);
    if (shape.length !== own.length)
      refuse(`the data of ${JSON.stringify(name)} do not fit its dimensions`, `[${own}]`, `[${shape}]`);
    own.forEach((dim, axis) => {
      learn(name, dim, shape[axis] as number);
    });
  }
  return lengths;
}

function shapeOf({ name, dims, flat }: Variable, lengths: Map<string, number>): number[] {
  const shape = dims.map((dim) => {
    const length = lengths.get(dim);
    if (length !== undefined && Number.isSafeInteger(length) && length >= 0) return length;
    return refuse(`the length of the dimension ${JSON.stringify(dim)} is not known`, "dims or data", length);
  });
  if (flat && flat.data.length !== product(shape))
    refuse(`the data of ${JSON.stringify(name)} do not fit its shape`, `[${shape}]`, flat.data.length);
  return shape;
}

/**
 * The coordinates with other dimensions than their name that belong to a variable: all their
 * dimensions are its own.
 */
const coordinatesOf = (variable: Variable, variables: readonly Variable[]): string[] =>
  variables
    .filter(({ isCoordinate, name, dims }) => {
      const isIndex = dims.length === 1 && dims[0] === name;
      return isCoordinate && !isIndex && dims.every((dim) => variable.dims.includes(dim));
    })
    .map(({ name }) => name);

function attributesOf(variable: Variable, variables: readonly Variable[], zarrFormat: 2 | 3): Attributes {
  const names = variable.isCoordinate ? [] : coordinatesOf(variable, variables);
  return {
    ...fillAttribute(variable.fillValue, variable.dtype, zarrFormat),
    ...(names.length > 0 && { coordinates: names.join(" ") }),
    ...variable.attributes,
  };
}

/** The coordinates that belong to no variable are named by the group, as in xarray. */
function groupAttributes({ attributes = {} }: NewDataset, variables: readonly Variable[]): Attributes {
  const data = variables.filter(({ isCoordinate }) => !isCoordinate);
  const named = new Set(data.flatMap((variable) => coordinatesOf(variable, variables)));
  const others = variables.filter(
    ({ isCoordinate, name, dims }) =>
      isCoordinate && !named.has(name) && !(dims.length === 1 && dims[0] === name),
  );
  if (others.length === 0) return attributes;
  return { coordinates: others.map(({ name }) => name).join(" "), ...attributes };
}

async function createVariable(
  group: Group<Readable>,
  variable: Variable,
  all: { variables: readonly Variable[]; shape: readonly number[]; signal: AbortSignal | undefined },
): Promise<AnyArray> {
  const { name, dims, dtype, fillValue, given } = variable;
  const { dims: _, data: __, attributes: ___, fillValue: ____, ...options } = given;
  const created = await createNode(new Location(group.store, below(group.path, name)), {
    ...options,
    kind: "array",
    dtype,
    shape: all.shape,
    dimensionNames: dims,
    zarrFormat: group.zarrFormat,
    attributes: attributesOf(variable, all.variables, group.zarrFormat),
    fillValue,
    signal: all.signal,
  });
  return created as AnyArray;
}

async function variablesOf({ coords = {}, variables = {} }: NewDataset): Promise<Variable[]> {
  const twice = Object.keys(coords).find((name) => Object.hasOwn(variables, name));
  if (twice !== undefined) refuse("a coordinate and a variable have the same name", "different names", twice);
  const all = [
    ...Object.entries(coords).map(([name, given]) => variableOf(name, described(name, given), true)),
    ...Object.entries(variables).map(([name, given]) => variableOf(name, given, false)),
  ];
  return Promise.all(all);
}

/** Writes all arrays. */
async function writeVariables(
  group: Group<Readable>,
  variables: readonly Variable[],
  shapes: readonly number[][],
  { signal, onProgress }: CreateDatasetOptions,
): Promise<Record<string, AnyArray>> {
  const hasData = ({ given }: Variable) => given.data !== undefined;
  const sizes = variables.map((variable, at) => (hasData(variable) ? product(shapes[at] ?? []) : 0));
  const totalElements = sizes.reduce((sum, size) => sum + size, 0);
  let elements = 0;
  // A variable may have any name, even `__proto__`.
  const arrays: Record<string, AnyArray> = Object.create(null);
  for (const [at, variable] of variables.entries()) {
    const { name, flat, given } = variable;
    const shape = shapes[at] as number[];
    const array = await createVariable(group, variable, { variables, shape, signal });
    arrays[name] = array;
    if (given.data === undefined) continue;
    const source = openSource(flat ? shaped(flat, shape) : (given.data as ElementSource));
    const onWritten = (count: number) => {
      elements += count;
      onProgress?.({ variable: name, elements, totalElements });
    };
    await writeSource(array, source, { signal, onWritten });
  }
  return arrays;
}

const RULES: Rules<NewDataset> = {
  dims: "an object",
  coords: "an object",
  variables: "an object",
  attributes: "an object",
};

const OPTIONS_RULES: Rules<CreateDatasetOptions> = {
  ...SIGNAL,
  onProgress: "a function",
  path: "a text",
  zarrFormat: [2, 3],
  consolidated: "a boolean",
  overwrite: "a boolean",
};

/**
 * Writes a data set as xarray does: a group whose arrays share named dimensions. Coordinates are
 * arrays with the names of their dimensions, dates become counts of CF's units of time, and
 * metadata are consolidated. `xarray.open_zarr` reads the same values.
 *
 *     await createDataset(store, {
 *       coords: { time: [new Date("2026-01-01")], lat: new Float64Array([50, 40]) },
 *       variables: { heat: { dims: ["time", "lat"], data: new Float32Array([280, 290]) } },
 *     });
 *
 * @param place A location, a store or a URL.
 * @param dataset The dimensions, coordinates and variables.
 * @returns the group and its arrays.
 * @throws an `Argument` error, before anything is written, if the description contradicts itself,
 *   and if a node exists and `overwrite` is false.
 * @throws an `UnsupportedError` if the store cannot write, or cannot list for `consolidated`.
 */
export async function createDataset<Store extends Readable>(
  place: Location<Store> | Store | string | URL,
  dataset: NewDataset,
  options: CreateDatasetOptions = {},
): Promise<Dataset<Store>> {
  optionsOf(dataset, RULES, "dataset");
  const { path, zarrFormat = 3, overwrite, signal, consolidated = true } = optionsOf(options, OPTIONS_RULES);
  signal?.throwIfAborted();
  const variables = await variablesOf(dataset);
  const lengths = lengthsOf(dataset, variables);
  const shapes = variables.map((variable) => shapeOf(variable, lengths));
  const attributes = groupAttributes(dataset, variables);
  const at = locationOf(place) as Location<Store>;
  const node = await createNode(at, { kind: "group", path, zarrFormat, overwrite, attributes, signal });
  const group = node as Group<Store>;
  const arrays = await writeVariables(group, variables, shapes, options);
  if (consolidated) await consolidate(group, { signal });
  return { group, arrays } as Dataset<Store>;
}
