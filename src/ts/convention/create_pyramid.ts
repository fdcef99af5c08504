/**
 * `createPyramid`: the call and its types. `write/` has the rest. It is imported statically, as the
 * code of `copy` and `warp` is: bundlers omit it from programs that do not use it. As a chunk of
 * its own, it would keep modules alive that it shares with other exported names, and bundlers would
 * put them into the first download.
 */

import type { Location } from "../api/location.ts";
import type { ElementSource } from "../api/write/element_source.ts";
import { optionsOf, type Rules } from "../model/argument.ts";
import type { Readable } from "../model/types.ts";
import type { Pyramid } from "./pyramid_model.ts";
import type { CreatePyramidOptions } from "./write/pyramid_options.ts";
import { writePyramid } from "./write/pyramid_writer.ts";

export type {
  CreatePyramidOptions,
  DownsampleMethod,
  NewAxis,
  NewLabel,
  PyramidProgress,
} from "./write/pyramid_options.ts";

const SOURCE_RULES: Rules = { dtype: "a text", shape: "a list", stride: "a list" };

const RULES: Rules = { axes: "a list", channels: "a list", missing: "a list" };

/**
 * Writes a multiscale image: OME-Zarr 0.4 or 0.5, or the convention `multiscales`. The source
 * becomes the finest level. An array that lies in the new group is that level already. Each other
 * level is computed from the one before, box by box, in the engine; only a few boxes are in memory.
 * The metadata that make the group an image are written last.
 *
 * Resolves to the pyramid. Rejects with an `Argument` error, before anything is written, if the
 * metadata would break a rule of the convention; and with an `UnsupportedError` if the method does
 * not know the data type.
 *
 *     const source = { data: new Uint16Array(2 * 1024 * 1024), shape: [2, 1024, 1024] };
 *     await createPyramid(store, source, { axes: ["c", "y", "x"], scale: { y: 0.5, x: 0.5 } });
 */
export async function createPyramid<Store extends Readable>(
  place: Location<Store> | Store | string | URL,
  source: ElementSource,
  options: CreatePyramidOptions = {},
): Promise<Pyramid<Store>> {
  optionsOf(source, SOURCE_RULES, "source");
  return (await writePyramid(place, source, optionsOf(options, RULES))) as Pyramid<Store>;
}
