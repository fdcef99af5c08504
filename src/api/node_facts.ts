/**
 * The data behind a node's getters, from one of two sources: the engine's summary of an opened
 * node, or a v3 metadata object that the caller passed to a constructor. Only the engine parses
 * documents. Of a caller's object, only the fields behind zarrita's getters are read.
 */

import type {
  ArraySummary,
  DecodeBuild,
  Dialect,
  JsonText,
  LargeDocument,
  NodeSummary,
} from "../contract/contract.ts";
import { wrappedScalarOf } from "../engine/ts/elements/elements.ts";
import { keepTables } from "../engine/ts/elements/typed_arrays.ts";
import { elementOf } from "../engine/ts/elements/variable.ts";
import { isReadable, need, needReadable, optionsOf, type Rules } from "../engine/ts/model/argument.ts";
import { chunkExtent, type GridAxis, gridOfMetadata } from "../engine/ts/model/chunk_grid.ts";
import { parseDescription, type TypeDescription } from "../engine/ts/model/data_type.ts";
import { shown } from "../engine/ts/model/errors.ts";
import { exactJson, parseJsonText, TOKENS } from "../engine/ts/model/json.ts";
import type {
  ArrayMetadata,
  Attributes,
  CodecMetadata,
  DataType,
  Readable,
} from "../engine/ts/model/types.ts";
import { newDecoder } from "../engine/ts/model/utf8.ts";
import { warn } from "../engine/ts/port/warnings.ts";

export type { Dialect };

/** A storage transformer, as in the metadata of a draft of v3. */
export interface StorageTransformerMetadata {
  /** URI of its specification. */
  extension: string;
  /** Its type within that specification. */
  type: unknown;
  /** Its configuration, as its specification defines it. */
  configuration?: Record<string, unknown> | undefined;
}

/** The data type that is read instead of an unknown data type of an extension. */
export interface DataTypeFallback {
  /** URI of the extension. */
  extension: string;
  /** The unknown data type. */
  dataType: unknown;
  /** The data type that is read instead, as named in the metadata. */
  used: string;
}

/** How attributes are parsed. */
export interface AttributeOptions {
  /**
   * Whether integers in attributes beyond 2^53 become bigints, which are exact, instead of numbers,
   * which are rounded. Default: false.
   */
  exactIntegers?: boolean | undefined;
}

/**
 * The key of an array's facts, for the other modules. It also works through a proxy of the array.
 */
export const FACTS: unique symbol = Symbol("zarr-wasm.facts");

/** An array, as other modules use it: this package's, or a proxy of one. */
export interface ArrayNode {
  readonly [FACTS]: ArrayFacts;
  readonly store: Readable;
  readonly path: string;
}

/** Throws an `Argument` error unless an argument is an array of this package. */
export const needArray = (array: unknown, name = "array"): void =>
  need(isReadable(array) && Object(array)[FACTS], name, "an array");

/** Facts take no further members. Vue makes no proxies of such objects, so they stay themselves. */
export interface ArrayFacts {
  readonly shape: number[];
  readonly shape64: bigint[];
  readonly chunks: number[];
  readonly shards: number[] | undefined;
  /** The chunk grid of each dimension. `chunks` is the shape of the first chunk. */
  readonly grid: readonly GridAxis[];
  readonly dtype: DataType;
  /** The data type. Undefined for a caller's metadata object until the engine is asked. */
  readonly type: TypeDescription | undefined;
  readonly fillValue: unknown;
  readonly dimensionNames: (string | null)[] | undefined;
  readonly order: number[];
  readonly format: 2 | 3;
  readonly dialect: Dialect;
  readonly fallback: DataTypeFallback | undefined;
  readonly codecs: readonly CodecMetadata[];
  readonly storageTransformers: readonly StorageTransformerMetadata[];
  readonly attributes: Attributes;
  readonly attributesWith: (options: AttributesOptions) => Attributes;
  /** The options with which the node was opened. */
  readonly options: AttributeOptions;
  readonly warnings: readonly string[];
  /** Adds a warning about the chunks, once for each text. */
  readonly warn: (message: string) => void;
  /** The metadata documents as JSON text, in the form that the engine takes. */
  readonly document: string;
  /** The document of which `document` lacks the attributes. */
  readonly large?: LargeDocument;
  readonly build: DecodeBuild;
  /** The metadata are a caller's. The store may have none. */
  readonly isCallers?: true;
  /**
   * Set after a change of the array failed: what is stored is not known. It reads the metadata
   * again. Every call awaits it before it uses the facts, which are others then.
   */
  refreshStale?: ((signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

const decoded = (bytes: Uint8Array) => newDecoder().decode(bytes);

/** The attributes in a large document, with marks instead of tokens. */
function attributesIn({ bytes, attributes = [], marks = "{}" }: LargeDocument): JsonText {
  let text = "";
  for (let at = 1; at < attributes.length; at += 1) {
    const part = decoded(bytes.subarray(attributes[at - 1], attributes[at]));
    // Every second part is a token.
    text += at % 2 ? part : `"\\u0000${part}"`;
  }
  return { text, marks };
}

const parsedAttributes = ({ attributes, large }: NodeSummary, exactIntegers = false) =>
  parseJsonText(large?.attributes ? attributesIn(large) : attributes, exactIntegers) as Attributes;

/** Returns a function that parses the attributes at the first call. */
export function lazyAttributes({ summary, options }: OpenedNode): () => Attributes {
  let attributes: Attributes | undefined;
  return () => {
    attributes ??= parsedAttributes(summary, options.exactIntegers);
    return attributes;
  };
}

/** Options of `Array.attributes` and `Group.attributes`. */
export interface AttributesOptions {
  /**
   * Whether integers beyond 2^53, of up to 4300 digits, become bigints, which are exact, instead of
   * numbers, which are rounded. Default: false.
   */
  bigint?: boolean | undefined;
}

export const ATTRIBUTES_RULES: Rules<AttributesOptions> = { bigint: "a boolean" };

/** Parses the attributes again. */
export const attributesOf = ({ summary }: OpenedNode, { bigint }: AttributesOptions): Attributes =>
  parsedAttributes(summary, bigint);

/** The documents of a node: in the form that the engine takes, and a large one. */
type Documents = Pick<ArrayFacts, "document" | "large">;

/**
 * The texts of a node's documents, by key suffix: `zarr.json`, or `.zarray`, `.zgroup` and
 * `.zattrs`.
 */
export function textsOf({ document, large }: Documents): Record<string, string> {
  const { texts } = JSON.parse(document) as { texts: [suffix: string, text: string][] };
  return { ...Object.fromEntries(texts), ...(large && { [large.suffix]: decoded(large.bytes) }) };
}

/** The document for a caller's metadata object, in the form that the engine takes. */
export const documentOf = (metadata: unknown): string =>
  JSON.stringify({
    zarr_format: 3,
    texts: [["zarr.json", exactJson(metadata, "metadata")]],
    is_callers: true,
  });

/** A summary from the engine, by which the constructors of `Array` and `Group` recognise it. */
export class OpenedNode {
  readonly summary: NodeSummary;
  readonly options: AttributeOptions;

  constructor(summary: NodeSummary, options: AttributeOptions) {
    this.summary = summary;
    this.options = options;
  }
}

/** The fill value as a scalar. */
const fillValueOf = (type: TypeDescription, { fillValue, fillJson }: ArraySummary): unknown => {
  if (!fillValue) return null;
  return type.size === undefined
    ? elementOf(type, fillValue, fillJson && Object.fromEntries([fillJson]))
    : wrappedScalarOf(type, fillValue);
};

/** Returns a function that keeps each warning once and issues it. */
const keepingWarnings = (warnings: string[], path: string) => (message: string) => {
  if (warnings.includes(message)) return;
  warnings.push(message);
  warn(message, path);
};

export function factsOfNode(node: OpenedNode): ArrayFacts {
  const { summary } = node;
  const { array } = summary;
  if (!array) throw new TypeError(`${summary.path} is a group`);
  const attributes = lazyAttributes(node);
  const type = parseDescription(array.dataType);
  keepTables(array.floatTables);
  const chunks = array.chunks.map(Number);
  return Object.preventExtensions({
    shape: array.shape.map(Number),
    shape64: array.shape,
    chunks,
    shards: array.shards?.map(Number),
    grid: array.grid?.map((runs) => runs.map(([length, count]) => [Number(length), count])) ?? chunks,
    dtype: array.dtype as DataType,
    type,
    fillValue: fillValueOf(type, array),
    dimensionNames: array.dimensionNames?.map((name) => name ?? null),
    order: array.order,
    format: summary.format,
    dialect: summary.dialect,
    fallback: array.fallback && {
      ...array.fallback,
      dataType: parseJsonText(array.fallback.dataType),
    },
    get codecs() {
      return array.codecs.map(({ name, configuration }) => ({
        name,
        configuration: configuration === undefined ? {} : (parseJsonText(configuration) as Attributes),
      }));
    },
    get storageTransformers() {
      return array.storageTransformers.map(({ extension, type, configuration }) => ({
        extension,
        type: parseJsonText(type),
        ...(configuration !== undefined && { configuration: parseJsonText(configuration) as Attributes }),
      }));
    },
    get attributes() {
      return attributes();
    },
    attributesWith: (options) => attributesOf(node, options),
    options: node.options,
    warnings: summary.warnings,
    warn: keepingWarnings(summary.warnings, summary.path),
    document: summary.document,
    large: summary.large,
    build: array.build as DecodeBuild,
    refreshStale: undefined,
  });
}

/** The fill value of a caller's metadata object, as a scalar of the data type. */
function callersFillValue({ data_type, fill_value }: ArrayMetadata): unknown {
  if (fill_value === null || fill_value === undefined) return null;
  if (data_type === "int64" || data_type === "uint64") {
    need(/^-?\d+$/.test(shown(fill_value)), "fill_value", "an integer");
    return BigInt(shown(fill_value));
  }
  needReadable(data_type, "data_type");
  const special = typeof fill_value === "string" ? TOKENS[fill_value] : undefined;
  const isFloat = typeof data_type === "string" && data_type.startsWith("float");
  return isFloat && special !== undefined ? special : fill_value;
}

type Codec = ArrayMetadata["codecs"][number];
const named = (codecs: Codec[], name: string) =>
  Array.from(codecs).find((codec) => Object(codec).name === name)?.configuration;

/** The dimensions in the order of a transposition, slowest first. Without one, C order. */
export function orderOf(transposition: { order?: unknown } | undefined, rank: number): number[] {
  const order = transposition?.order;
  const axes = Array.from({ length: rank }, (_, axis) => axis);
  if (order === "F") return axes.reverse();
  return Array.isArray(order) ? order : axes;
}

const lengthOf = (axis: GridAxis): number => chunkExtent(axis, 0).length;

export function factsOfMetadata(metadata: ArrayMetadata, path: string): ArrayFacts {
  optionsOf(metadata, { shape: "a list", codecs: "a list" }, "metadata", "anyone's");
  needReadable(Object(metadata.chunk_grid).configuration, "chunk_grid");
  need(metadata.chunk_grid && metadata.shape && metadata.codecs, "metadata", "metadata of an array");
  const warnings: string[] = [];
  const grid = gridOfMetadata(metadata.chunk_grid, metadata.shape.length);
  const outer = grid.map(lengthOf);
  const sharding = named(metadata.codecs, "sharding_indexed");
  const chunks = (sharding?.chunk_shape as number[] | undefined) ?? outer;
  const codecs = (sharding?.codecs as Codec[] | undefined) ?? metadata.codecs;
  return Object.preventExtensions({
    shape: metadata.shape,
    get shape64() {
      return metadata.shape.map(BigInt);
    },
    chunks,
    shards: sharding ? outer : undefined,
    grid: sharding ? chunks : grid,
    dtype: metadata.data_type,
    type: undefined,
    fillValue: callersFillValue(metadata),
    dimensionNames: metadata.dimension_names,
    order: orderOf(named(codecs, "transpose"), metadata.shape.length),
    format: 3,
    dialect: "v3",
    fallback: undefined,
    codecs: metadata.codecs,
    storageTransformers: [],
    attributes: metadata.attributes ?? {},
    attributesWith: () => metadata.attributes ?? {},
    options: {},
    warnings,
    warn: keepingWarnings(warnings, path),
    get document() {
      return documentOf(metadata);
    },
    build: "engine" as const,
    isCallers: true as const,
    refreshStale: undefined,
  });
}
