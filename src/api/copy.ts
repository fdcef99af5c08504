/**
 * `copy`: copies an array, or a group with all its descendants, to another location, format or
 * layout. An array is copied in boxes of whole chunks of the target; the next box is read while one
 * is written, so only a few boxes are in memory.
 */
import { product } from "../engine/ts/elements/typed_arrays.ts";
import { needReadable, optionsOf, type Rules, refuse, SIGNAL } from "../engine/ts/model/argument.ts";
import { below, nameOf } from "../engine/ts/model/node_like.ts";
import type { AbsolutePath, DataType, Readable } from "../engine/ts/model/types.ts";
import { type AnyArray, FACTS, Array as ZarrArray } from "./array.ts";
import { type ArrayChoices, createNode } from "./create.ts";
import { Group, type Node } from "./group.ts";
import { Location, locationOf, readableLocation } from "./location.ts";
import { open } from "./open.ts";
import { openSource, writeSource } from "./write/element_source.ts";
import { isIn, type NodeLocation, needApart } from "./write/same_location.ts";

/** The progress of a copy. */
export interface CopyProgress {
  /** Path of the array that is being copied. */
  path: AbsolutePath;
  /** Number of its elements that are copied so far. */
  elements: number;
  /** Number of its elements. */
  totalElements: number;
}

/** Options of `copy`. */
export interface CopyOptions {
  /** Zarr format of the copy. Default: that of the source. */
  zarrFormat?: 2 | 3 | undefined;
  /**
   * Options of `create` for the new arrays, or a function that returns them for a source array.
   * Default: a copy of the same format has the chunks and codecs of the source.
   */
  array?: ArrayChoices | ((source: ZarrArray<DataType, Readable>) => ArrayChoices) | undefined;
  /** Whether to erase existing nodes at the target. Default: false. */
  overwrite?: boolean | undefined;
  /**
   * Whether to convert values that the target's data type cannot represent. Default: false, which
   * rejects.
   */
  cast?: boolean | undefined;
  /** Aborts the call, which rejects with the signal's reason. What is copied already stays. */
  signal?: AbortSignal | undefined;
  /** Called after each box of elements that is copied. */
  onProgress?: ((progress: CopyProgress) => void) | undefined;
}

const RULES: Rules<CopyOptions> = {
  ...SIGNAL,
  onProgress: "a function",
  zarrFormat: [2, 3],
  array: "an object",
  overwrite: "a boolean",
  cast: "a boolean",
};

async function copyElements(source: AnyArray, target: AnyArray, options: CopyOptions): Promise<void> {
  const { signal, onProgress, cast } = options;
  const totalElements = product(source[FACTS].shape);
  let elements = 0;
  const onWritten = (count: number) => {
    elements += count;
    onProgress?.({ path: source.path, elements, totalElements });
  };
  await writeSource(target, openSource(source), { cast, signal, onWritten });
}

function choicesFor(source: AnyArray, options: CopyOptions): ArrayChoices {
  const { array, zarrFormat = source.zarrFormat, overwrite, signal } = options;
  const chosen = (typeof array === "function" ? array(source) : array) ?? {};
  const { codecs, compressor, filters, order, chunkShape, shardShape, dtype } = chosen;
  const isLaidOut = [codecs, compressor, filters, order, chunkShape, shardShape, dtype].some(
    (choice) => choice !== undefined,
  );
  // Without options, a copy of the same format has exactly the chunks and codecs of the source.
  const { chunks, shards } = source[FACTS];
  const layout: ArrayChoices =
    isLaidOut || zarrFormat !== source.zarrFormat
      ? { chunkShape: chunks, shardShape: zarrFormat === 3 ? (shards ?? null) : undefined }
      : {};
  if (chunkShape !== undefined) layout.shardShape = undefined;
  return { ...layout, ...chosen, kind: "array", zarrFormat, overwrite, signal };
}

async function copyArray(source: AnyArray, to: unknown, options: CopyOptions): Promise<AnyArray> {
  const target =
    to instanceof ZarrArray
      ? (to as AnyArray)
      : ((await createNode(to, choicesFor(source, options) as Record<string, unknown>, source)) as AnyArray);
  const isSame =
    target.shape.length === source.shape.length && target.shape.every((n, axis) => n === source.shape[axis]);
  if (!isSame) {
    refuse("the source and the target array differ in shape", `[${source.shape}]`, `[${target.shape}]`);
  }
  await copyElements(source, target, options);
  return target;
}

async function copyGroup(
  source: Group<Readable>,
  to: unknown,
  options: CopyOptions,
): Promise<Group<Readable>> {
  const { zarrFormat = source.zarrFormat, overwrite, signal } = options;
  const { attrs: attributes } = source;
  const target = await createNode(to, { kind: "group", attributes, zarrFormat, overwrite, signal });
  for await (const child of source.children({ signal })) {
    if (child.error) throw child.error;
    const path = below(target.path, nameOf(child.path));
    // Creating the group has already erased existing nodes.
    await copyNode(child, new Location(target.store, path), { ...options, overwrite: false });
  }
  return target as Group<Readable>;
}

const copyNode = (source: Node<Readable>, to: unknown, options: CopyOptions): Promise<Node<Readable>> =>
  source instanceof Group ? copyGroup(source, to, options) : copyArray(source as AnyArray, to, options);

/** A copy must not erase its source, and the copy of a group would be a child to copy. */
async function checkApart(source: Node<Readable>, target: NodeLocation, options: CopyOptions): Promise<void> {
  if (options.overwrite) await needApart(source, target);
  if (source instanceof Group && (await isIn(target, source)))
    refuse("a group cannot be copied into itself", `a place outside of ${source.path}`, target.path);
}

/**
 * Copies an array or a group, with all its descendants, to a location. An array may also be copied
 * into an existing array of the same shape.
 *
 *     await copy("https://host/data.zarr", new OpfsStore("data"), { zarrFormat: 3 });
 *
 * @param source An array, a group, a location, a store or a URL. In Node, a path too.
 * @param target A location, a store or a URL; an existing array for the elements alone.
 * @returns the copy.
 * @throws an `Argument` error if the shapes differ, or if the target is the source or inside it.
 * @throws an `Argument` error if a node exists at the target, and `overwrite` is false.
 * @throws a `NotFoundError` if there is no source.
 * @throws an `UnsupportedError` if the store of a group cannot list, or the target cannot write.
 */
export async function copy<S extends Readable = Readable>(
  source: Node<Readable> | Location<Readable> | Readable | string | URL,
  target: Location<S> | S | string | URL,
  options: CopyOptions = {},
): Promise<Node<S>> {
  needReadable(source, "source");
  needReadable(target, "target");
  const isNode = source instanceof ZarrArray || source instanceof Group;
  const { signal } = optionsOf(options, RULES);
  const node = isNode ? source : await open(readableLocation(source) as Location<Readable>, { signal });
  if (!(target instanceof ZarrArray)) await checkApart(node as Node<Readable>, locationOf(target), options);
  return (await copyNode(node as Node<Readable>, target, options)) as Node<S>;
}
