/** Elements as files: NumPy's `.npy`, and a data set of Zarr in a ZIP archive. */
import * as zarr from "zarr-wasm";
import type { Dimension, MarkElements } from "./elements_of_mark.js";

/** NumPy's names of the types of numbers, in the byte order of all machines that run browsers. */
const DESCRIPTIONS: Record<string, string> = {
  Int8Array: "|i1",
  Uint8Array: "|u1",
  Uint8ClampedArray: "|u1",
  Int16Array: "<i2",
  Uint16Array: "<u2",
  Int32Array: "<i4",
  Uint32Array: "<u4",
  BigInt64Array: "<i8",
  BigUint64Array: "<u8",
  Float16Array: "<f2",
  Float32Array: "<f4",
  Float64Array: "<f8",
};

/** The header and data begin at multiples of this number of bytes. */
const ALIGNMENT = 64;
/** The magic bytes, the version and the length of the header. */
const BEGINNING = 10;

/** A file of NumPy's format 1.0. */
export function npyOf({ data, shape }: Pick<MarkElements, "data" | "shape">): Blob {
  const known = DESCRIPTIONS[data.constructor.name];
  const numbers = known ? data : Float64Array.from(data as ArrayLike<number>);
  const extents = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const description = `{'descr': '${known ?? "<f8"}', 'fortran_order': False, 'shape': (${extents}), }`;
  const length = Math.ceil((BEGINNING + description.length + 1) / ALIGNMENT) * ALIGNMENT - BEGINNING;
  const header = new TextEncoder().encode(`${description.padEnd(length - 1)}\n`);
  const beginning = Uint8Array.of(
    0x93,
    ...new TextEncoder().encode("NUMPY"),
    1,
    0,
    length & 255,
    length >> 8,
  );
  return new Blob([beginning, header, numbers as BlobPart]);
}

const coordinateOf = ({ name, values, attributes }: Dimension): [string, zarr.NewVariable] => {
  const isText = typeof values[0] === "string";
  const data = isText ? (values as readonly string[]) : Float64Array.from(values as ArrayLike<number>);
  return [name, { dims: [name], data, attributes }];
};

/** A data set with the coordinates of its dimensions, which xarray opens. */
export async function zarrZipOf(
  { name, data, shape, dimensions, attributes }: MarkElements,
  title: string,
  signal: AbortSignal,
): Promise<Blob> {
  const archive = new zarr.ZipWriter();
  const dims = dimensions.map((dimension) => dimension.name);
  const own = dims.includes(name) ? `${name}_values` : name;
  await zarr.createDataset(
    archive,
    {
      dims: Object.fromEntries(dims.map((dimension, at) => [dimension, shape[at] ?? 0])),
      coords: Object.fromEntries(dimensions.map(coordinateOf)),
      variables: { [own]: { dims, data, attributes } },
      attributes: { title, Conventions: "CF-1.11" },
    },
    { signal },
  );
  return archive.toBlob();
}
