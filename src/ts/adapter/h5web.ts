/**
 * A hierarchy as a data provider of H5Web, which describes groups, arrays, attributes and values in
 * HDF5's terms. `h5web_types.ts` translates data types.
 */
import {
  type Attribute,
  type AttributeValues,
  DataProviderApi,
  type Dataset,
  type Entity,
  EntityKind,
  type Group as GroupEntity,
  type ProvidedEntity,
  ShapeClass,
  type UnresolvedEntity,
  type ValuesStoreParams,
} from "@h5web/app";
import type { AnyArray } from "../api/array.ts";
import type { Group } from "../api/group.ts";
import { open } from "../api/open.ts";
import { type CfOptions, packingOf } from "../api/read/conversion.ts";
import type { UnreadableNode } from "../api/unreadable.ts";
import { NotFoundError, ZarrError } from "../model/errors.ts";
import { below, nameOf } from "../model/path.ts";
import type { Readable, Slice } from "../model/types.ts";
import { attributeOf, typeOf, unpacked, valuesOf } from "./h5web_types.ts";

type AnyNode = AnyArray | Group<Readable>;

export interface H5WebOptions {
  /** The name that H5Web shows for the root. Default: the last name of the group's path. */
  filepath?: string;
  /** Unpacks numbers by CF's attributes. Missing values become NaN. Default: false. */
  decode?: "cf" | CfOptions | false;
}

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

  constructor(group: Group<Readable>, { filepath, decode = false }: H5WebOptions = {}) {
    super(filepath ?? (nameOf(group.path) || "zarr"));
    [this.#root, this.#decode] = [group, decode];
    this.#nodes.set("/", group);
  }

  async getEntity(path: string): Promise<ProvidedEntity> {
    const node = await this.#node(path);
    if (node.kind === "array") return this.#dataset(node, path);
    const children = [];
    for await (const child of node.children()) children.push(await this.#child(child, path));
    return { ...this.#group(node, path), children };
  }

  async getValue(
    { dataset, selection }: ValuesStoreParams,
    signal?: AbortSignal,
    onProgress?: (share: number) => void,
  ): Promise<unknown> {
    const array = await this.#node(dataset.path);
    if (array.kind !== "array") throw new NotFoundError("an array", { path: dataset.path });
    const packing = await this.#packing(array);
    const told = ({ parts, totalParts }: { parts: number; totalParts: number }) =>
      onProgress?.(parts / Math.max(totalParts, 1));
    const options = { signal, onProgress: told };
    const places = selectionOf(selection);
    const result = packing
      ? await array.get(places, { ...options, decode: packing, as: "float64" })
      : await array.get(places, options);
    const values = valuesOf(array.dtype, result);
    return array.shape.length === 0 ? (values as ArrayLike<unknown>)[0] : values;
  }

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
    if (!decode || !/int|float|bool/.test(array.dtype)) return undefined;
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
