/**
 * `copy`: an array, or a group with everything below it, to another place, format or layout.
 * Elements go a box of whole chunks of the target at a time, the next one being read while one is
 * written: never more than a few boxes are in memory.
 */

import { product } from "../elements/typed_arrays.ts";
import { ZarrError } from "../model/errors.ts";
import type { AbsolutePath, DataType, Readable } from "../model/types.ts";
import { FACTS, Array as ZarrArray } from "./array.ts";
import { elementSizeOf } from "./arrays.ts";
import { childrenOf } from "./children.ts";
import { type CreateArrayOptions, createNode } from "./create.ts";
import { Group, type Node, nodeOf } from "./group.ts";
import { Location, locationOf } from "./location.ts";
import { open } from "./open.ts";

/** How far a copy is. */
export interface CopyProgress {
  /** The array that is being copied. */
  path: AbsolutePath;
  /** Elements of it that are there, and all of them. */
  elements: number;
  totalElements: number;
}

type AnyArray = ZarrArray<DataType, Readable>;
type ArrayChoices = Partial<CreateArrayOptions>;

export interface CopyOptions {
  /** The format of what is made; that of the source unless given. */
  zarrFormat?: 2 | 3;
  /**
   * What is to differ in the arrays that are made: options of `create`, for all of them or by
   * source.
   */
  array?: ArrayChoices | ((source: ZarrArray<DataType, Readable>) => ArrayChoices);
  /** Erase what is there already. */
  overwrite?: boolean;
  /** Convert what another data type cannot hold. */
  cast?: boolean;
  signal?: AbortSignal;
  onProgress?: (progress: CopyProgress) => void;
}

/** Boxes grow to about so many bytes. */
const BOX_BYTES = 16 << 20;

/**
 * Whole stored chunks, together about as large as a box shall be, grown along the fastest
 * dimensions first.
 */
function boxShape(target: AnyArray, elementSize: number): number[] {
  const { shape, shards, chunks } = target[FACTS];
  const box = shape.map((extent, axis) => Math.max(1, Math.min(extent, (shards ?? chunks)[axis] ?? 1)));
  for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
    const [extent, stored] = [shape[axis] as number, box[axis] as number];
    const times = Math.floor(BOX_BYTES / (product(box) * elementSize));
    box[axis] = Math.min(extent || 1, stored * Math.max(1, times));
  }
  return box;
}

/** The boxes of a shape, as selections. */
function* boxes(shape: readonly number[], box: readonly number[]) {
  const counts = shape.map((extent, axis) => Math.ceil(extent / (box[axis] as number)));
  const total = product(counts);
  for (let linear = 0; linear < total; linear += 1) {
    let rest = linear;
    const selection = shape.map(() => ({ start: 0, stop: 0, step: 1 }));
    for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
      const [count, length] = [counts[axis] as number, box[axis] as number];
      const start = (rest % count) * length;
      rest = Math.floor(rest / count);
      selection[axis] = { start, stop: Math.min(shape[axis] as number, start + length), step: 1 };
    }
    yield selection;
  }
}

type Box = { start: number; stop: number; step: number }[];

async function copyElements(source: AnyArray, target: AnyArray, options: CopyOptions): Promise<void> {
  const { signal, onProgress, cast } = options;
  const { shape } = source[FACTS];
  const size = await elementSizeOf(source);
  // Packed elements are the same in both arrays, unless the type changes, or has no size.
  const isPacked =
    size !== undefined && target.dtype === source.dtype && (await elementSizeOf(target)) === size;
  const as = isPacked ? ("bytes" as const) : undefined;
  const read = (box: Box) => source.get(box, { as: as as "bytes", signal });
  const totalElements = product(shape);
  let elements = 0;
  let pending: { box: Box; values: ReturnType<typeof read> } | undefined;
  const write = async () => {
    if (!pending) return;
    const { box, values } = pending;
    await target.set(box, await values, { as, signal, cast });
    elements += product(box.map(({ start, stop }) => stop - start));
    onProgress?.({ path: source.path, elements, totalElements });
  };
  try {
    for (const box of boxes(shape, boxShape(target, size ?? 32))) {
      const next = { box, values: read(box) };
      next.values.catch(() => {}); // it is waited for below, unless an earlier box fails
      await write();
      pending = next;
    }
    await write();
  } finally {
    pending = undefined;
  }
}

function choicesFor(source: AnyArray, options: CopyOptions): ArrayChoices {
  const { array, zarrFormat = source.zarrFormat, overwrite, signal } = options;
  const chosen = (typeof array === "function" ? array(source) : array) ?? {};
  const { codecs, compressor, filters, order, chunkShape, shardShape, dtype } = chosen;
  const isLaidOut = [codecs, compressor, filters, order, chunkShape, shardShape, dtype].some(
    (choice) => choice !== undefined,
  );
  // With nothing chosen in the same format, chunks and codecs are those of the source, exactly.
  const { chunks, shards } = source[FACTS];
  const layout: ArrayChoices =
    isLaidOut || zarrFormat !== source.zarrFormat
      ? { chunkShape: chunks, ...(zarrFormat === 3 ? { shardShape: shards ?? null } : {}) }
      : {};
  if (chunkShape !== undefined) layout.shardShape = undefined;
  return { ...layout, ...chosen, kind: "array", zarrFormat, overwrite, signal };
}

async function copyArray(source: AnyArray, place: unknown, options: CopyOptions): Promise<AnyArray> {
  const target =
    place instanceof ZarrArray
      ? (place as AnyArray)
      : ((await createNode(
          place,
          choicesFor(source, options) as Record<string, unknown>,
          source,
        )) as AnyArray);
  const isSame =
    target.shape.length === source.shape.length && target.shape.every((n, axis) => n === source.shape[axis]);
  if (!isSame) {
    throw new ZarrError("Argument", "the arrays to copy between differ in shape", {
      expected: `[${source.shape}]`,
      actual: `[${target.shape}]`,
    });
  }
  await copyElements(source, target, options);
  return target;
}

async function copyGroup(
  source: Group<Readable>,
  place: unknown,
  options: CopyOptions,
): Promise<Group<Readable>> {
  const { zarrFormat = source.zarrFormat, overwrite, signal } = options;
  const { attrs: attributes } = source;
  const target = await createNode(place, { kind: "group", attributes, zarrFormat, overwrite, signal });
  for await (const child of childrenOf(source, { ...(signal && { signal }) }, nodeOf)) {
    if (child.error) throw child.error;
    const name = child.path.slice(child.path.lastIndexOf("/") + 1);
    const path = `${target.path === "/" ? "" : target.path}/${name}` as AbsolutePath;
    // What stood there went with the group.
    await copyNode(child, new Location(target.store, path), { ...options, overwrite: false });
  }
  return target as Group<Readable>;
}

const copyNode = (source: Node<Readable>, place: unknown, options: CopyOptions): Promise<Node<Readable>> =>
  source instanceof Group ? copyGroup(source, place, options) : copyArray(source as AnyArray, place, options);

/**
 * Copies an array or a group (a node, or where one is) to a place; an array also into one that is
 * there. Resolves to the copy.
 */
export async function copy<S extends Readable = Readable>(
  source: Node<Readable> | Location<Readable> | Readable | string | URL,
  target: Location<S> | S | string | URL,
  options: CopyOptions = {},
): Promise<Node<S>> {
  const isNode = source instanceof ZarrArray || source instanceof Group;
  const { signal } = options;
  const node = isNode ? source : await open(locationOf(source) as Location<Readable>, { signal });
  return (await copyNode(node as Node<Readable>, target, options)) as Node<S>;
}
