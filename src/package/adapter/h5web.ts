/**
 * A hierarchy as a data provider of H5Web, which describes groups, arrays, attributes and values in
 * HDF5's terms.
 */

import {
  type Attribute,
  type AttributeValues,
  type BooleanType,
  DataProviderApi,
  type Dataset,
  type DType,
  DTypeClass,
  type Entity,
  EntityKind,
  type FloatType,
  type Group as GroupEntity,
  type IntegerType,
  type ProvidedEntity,
  type Shape,
  ShapeClass,
  type StringType,
  type UnresolvedEntity,
  type ValuesStoreParams,
} from "@h5web/app";
import type { AnyArray } from "../../api/array.ts";
import type { UnreadableNode } from "../../api/children.ts";
import type { Group } from "../../api/group.ts";
import { open } from "../../api/open.ts";
import { type CfOptions, packingOf } from "../../api/read/conversion.ts";
import { DECODE_RULE } from "../../api/read/rules.ts";
import { optionsOf, type Rules } from "../../engine/ts/model/argument.ts";
import { NotFoundError, ZarrError } from "../../engine/ts/model/errors.ts";
import { below, nameOf } from "../../engine/ts/model/node_like.ts";
import { floatBits, integerOf } from "../../engine/ts/model/number_types.ts";
import { findable, worksBehindProxies } from "../../engine/ts/model/proxies.ts";
import type { Readable, Slice } from "../../engine/ts/model/types.ts";

type AnyNode = AnyArray | Group<Readable>;

/** Options of `ZarrApi`. */
export interface H5WebOptions {
  /** The name that H5Web shows for the root. Default: the last name of the group's path. */
  filepath?: string | undefined;
  /**
   * `"cf"` unpacks numbers by CF's attributes, and makes missing values NaN; `false` shows them as
   * they are stored. Default: false.
   */
  decode?: "cf" | CfOptions | false | undefined;
}

const RULES: Rules<H5WebOptions> = { filepath: "a text", decode: [...DECODE_RULE, false] };

/** `:` or an index for each dimension. */
const SELECTED = /^(?:(\d+)|(\d*):(\d*))$/;

function selectionOf(text: string | undefined): (number | Slice | null)[] | null {
  if (text === undefined) return null;
  return text.split(",").map((part) => {
    const [all, index, start, stop] = SELECTED.exec(part.trim()) ?? [];
    if (all === undefined) throw new ZarrError("Argument", `H5Web's selection ${text} is not known`);
    if (index !== undefined) return Number(index);
    return start || stop
      ? { start: start ? Number(start) : null, stop: stop ? Number(stop) : null, step: null }
      : null;
  });
}

/**
 * A data provider for H5Web's `DataProvider`. Groups are listed as by `group.children`, so the
 * store must be able to list, or have consolidated metadata. Nodes that cannot be opened are
 * listed as unresolved. Errors of metadata and of values reach H5Web's own error messages, and
 * reads that it aborts are aborted.
 *
 *     const api = new ZarrApi(group, { filepath: "climate.zarr" });
 *     <DataProvider api={api}><App /></DataProvider>
 */
export class ZarrApi extends DataProviderApi {
  readonly #root: Group<Readable>;
  readonly #decode: "cf" | CfOptions | false;
  /** The opened nodes by path, for their attributes and values. */
  readonly #nodes = new Map<string, AnyNode>();

  /**
   * @param group The group that is the root of what H5Web shows.
   * @throws an `Argument` error for unknown or invalid options.
   */
  constructor(group: Group<Readable>, options: H5WebOptions = {}) {
    const { filepath, decode = false } = optionsOf(options, RULES);
    super(filepath ?? (nameOf(group.path) || "zarr"));
    findable(this);
    [this.#root, this.#decode] = [group, decode];
    this.#nodes.set("/", group);
  }

  /**
   * Describes a group, with its children, or an array. H5Web calls it.
   *
   * @param path The path below the root.
   */
  async getEntity(path: string): Promise<ProvidedEntity> {
    const node = await this.#node(path);
    if (node.kind === "array") return this.#dataset(node, path);
    const children = [];
    for await (const child of node.children()) children.push(await this.#child(child, path));
    return { ...this.#group(node, path), children };
  }

  /**
   * Reads the values of an array, or of a part of it. H5Web calls it.
   *
   * @param options The array, and the part in H5Web's form.
   * @param signal Aborts the read.
   * @param onProgress Is called with the share that is read, from 0 to 1.
   */
  async getValue(
    { dataset, selection }: ValuesStoreParams,
    signal?: AbortSignal,
    onProgress?: (share: number) => void,
  ): Promise<unknown> {
    const array = await this.#node(dataset.path);
    if (array.kind !== "array") throw new NotFoundError("an array", { path: dataset.path });
    const packing = await this.#packing(array);
    const report = ({ parts, totalParts }: { parts: number; totalParts: number }) =>
      onProgress?.(parts / Math.max(totalParts, 1));
    const options = { signal, onProgress: report };
    const selected = selectionOf(selection);
    const result = packing
      ? await array.get(selected, { ...options, decode: packing, as: "float64" })
      : await array.get(selected, options);
    const values = valuesOf(array.dtype, result);
    return array.shape.length === 0 ? (values as ArrayLike<unknown>)[0] : values;
  }

  /**
   * Returns the values of a node's attributes. H5Web calls it.
   *
   * @param options The node.
   */
  async getAttrValues({ path }: Entity): Promise<AttributeValues> {
    const { attrs } = await this.#node(path);
    return Object.fromEntries(
      Object.entries(attrs).map(([name, value]) => [name, attributeOf(name, value).value]),
    );
  }

  async #node(path: string): Promise<AnyNode> {
    const known = this.#nodes.get(path);
    if (known) return known;
    const node = await open(this.#root.resolve(path.replace(/^\//, "")));
    this.#nodes.set(path, node);
    return node;
  }

  /**
   * Resolves to the rule by which the numbers of an array are unpacked; undefined if they are not
   * packed.
   */
  async #packing(array: AnyArray): Promise<"cf" | CfOptions | undefined> {
    const decode = this.#decode;
    if (!decode || !isPlain(array.dtype)) return undefined;
    const packing = await packingOf(array, array.dtype, decode === "cf" ? {} : decode);
    return packing ? decode : undefined;
  }

  #child(node: AnyNode | UnreadableNode<Readable>, parent: string) {
    const name = nameOf(node.path);
    const path = below(parent, name);
    if (node.error !== undefined) {
      return { name, path, kind: EntityKind.Unresolved, attributes: [] } satisfies UnresolvedEntity;
    }
    this.#nodes.set(path, node);
    return node.kind === "array" ? this.#dataset(node, path) : this.#group(node, path);
  }

  #entity({ attrs }: AnyNode, path: string) {
    const attributes = Object.entries(attrs).map(
      ([name, value]): Attribute => attributeOf(name, value).attribute,
    );
    return { name: nameOf(path) || this.filepath, path, attributes };
  }

  #group(group: Group<Readable>, path: string): GroupEntity {
    return { ...this.#entity(group, path), kind: EntityKind.Group };
  }

  async #dataset(array: AnyArray, path: string): Promise<Dataset> {
    const { shape, dtype } = array;
    const isPacked = (await this.#packing(array)) !== undefined;
    return {
      ...this.#entity(array, path),
      kind: EntityKind.Dataset,
      shape:
        shape.length === 0
          ? { class: ShapeClass.Scalar, dims: [] }
          : { class: ShapeClass.Array, dims: shape },
      type: isPacked ? unpacked() : typeOf(dtype),
      rawType: dtype,
      chunks: array.chunks,
    };
  }
}
worksBehindProxies(ZarrApi);

const integer = (signed: boolean, size: number): IntegerType => ({
  class: DTypeClass.Integer,
  signed,
  size,
  endianness: "little-endian",
});
const float = (size: number): FloatType => ({ class: DTypeClass.Float, size, endianness: "little-endian" });
const text = (): StringType => ({ class: DTypeClass.String, charSet: "UTF-8", strPad: "null-padded" });
const truth = (): BooleanType => ({ class: DTypeClass.Bool, base: integer(false, 8) });

/** Returns the type of numbers that were unpacked by CF's attributes. */
const unpacked = (): FloatType => float(64);

/** How the names of data types begin whose elements are texts, or the bytes of texts. */
const TEXTS = ["string", "v2:S", "v2:U", "fixed_length_utf32", "null_terminated_bytes"];

/** Whether elements are numbers or truth values, which CF may unpack. */
const isPlain = (dtype: string) =>
  dtype === "bool" || (integerOf(dtype)?.bits ?? floatBits(dtype)) !== undefined;

/** Returns H5Web's type of a data type. Dates are text. */
function typeOf(dtype: string): DType {
  const integerType = integerOf(dtype);
  const bits = floatBits(dtype);
  if (integerType) return integer(integerType.isSigned, Math.max(8, integerType.bits));
  // Floats without a typed array are read as singles.
  if (bits) return float(Math.max(32, bits));
  if (dtype === "bool") return truth();
  if (dtype.startsWith("complex")) {
    const part = float(dtype === "complex128" ? 64 : 32);
    return { class: DTypeClass.Complex, realType: part, imagType: part };
  }
  if (TEXTS.some((name) => dtype.startsWith(name)) || dtype.endsWith("datetime64")) return text();
  return { class: DTypeClass.Unknown };
}

/** A result of `Array.get`. */
interface Result {
  data: unknown;
  complex?: true;
  toDate?: (place: number) => Date;
}

const isoOf = (date: Date) => (Number.isNaN(date.getTime()) ? "NaT" : date.toISOString());

/**
 * Returns the elements as H5Web takes them: typed arrays, lists of text, pairs of complex numbers.
 */
function valuesOf(dtype: string, { data, complex, toDate }: Result): unknown {
  const list = data as ArrayLike<unknown>;
  if (complex) return Array.from({ length: list.length / 2 }, (_, at) => [list[2 * at], list[2 * at + 1]]);
  if (toDate) return Array.from({ length: list.length }, (_, at) => isoOf(toDate(at)));
  if (dtype.startsWith("v2:S") || dtype === "null_terminated_bytes") {
    const decoder = new TextDecoder();
    return Array.from(data as Uint8Array[], (bytes) => decoder.decode(bytes));
  }
  return data;
}

const SCALAR: Shape = { class: ShapeClass.Scalar, dims: [] };

function jsonType(value: unknown): DType | undefined {
  if (typeof value === "string") return text();
  if (typeof value === "boolean") return truth();
  if (typeof value === "number") return Number.isInteger(value) ? integer(true, 64) : float(64);
  return undefined;
}

/** Returns an attribute and its value. Objects and mixed lists are their JSON as text. */
function attributeOf(name: string, value: unknown): { attribute: Attribute; value: unknown } {
  const type = jsonType(value);
  if (type) return { attribute: { name, shape: SCALAR, type }, value };
  if (Array.isArray(value) && value.length > 0) {
    const types = value.map(jsonType);
    const item = types.find((own) => own?.class !== DTypeClass.Integer) ?? types[0];
    const isEqual = types.every(
      (own) =>
        own &&
        (own.class === item?.class || (item?.class === DTypeClass.Float && own.class === DTypeClass.Integer)),
    );
    const shape: Shape = { class: ShapeClass.Array, dims: [value.length] };
    if (isEqual && item) return { attribute: { name, shape, type: item }, value };
  }
  return { attribute: { name, shape: SCALAR, type: text() }, value: JSON.stringify(value) };
}
