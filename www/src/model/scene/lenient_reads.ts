/** Reads that go on without what a picture can do without: coordinates, and invalid attributes. */
import { ZarrError } from "zarr-wasm";
import type { ArrayNode, Scene } from "./scene.js";

/**
 * Reads with values decoded, and as they are stored if the attributes are invalid. The fill value
 * of a v2 array means "missing" only in data of xarray, which has `_ARRAY_DIMENSIONS`. In other
 * data it is a value, such as black.
 */
export async function decoded<T>(
  { attrs }: ArrayNode,
  read: (decode: Scene["decode"]) => Promise<T>,
): Promise<T> {
  try {
    return await read({ convention: "cf", zarrFillValue: "_ARRAY_DIMENSIONS" in attrs });
  } catch (error) {
    const isOfAttributes = error instanceof ZarrError && /^the attribute /.test(error.message);
    if (!isOfAttributes) throw error;
    return read(undefined);
  }
}

/** Whether the stored values are packed by CF's attributes. */
export const isPacked = ({ attrs }: Pick<ArrayNode, "attrs">): boolean =>
  attrs.scale_factor !== undefined || attrs.add_offset !== undefined;

/** Whether CF's attributes mark missing values. */
export const hasMissing = ({ attrs }: Pick<ArrayNode, "attrs">): boolean =>
  MARKS.some((name) => attrs[name] !== undefined);

const MARKS = ["_FillValue", "missing_value", "valid_min", "valid_max", "valid_range"];

/** Handles an error of such a read: null, unless the read was aborted. */
export const nullUnlessAborted =
  (signal: AbortSignal | undefined) =>
  (error: unknown): null => {
    signal?.throwIfAborted();
    if (error instanceof ZarrError) return null;
    throw error;
  };
