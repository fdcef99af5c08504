/**
 * Converts JSON for the page, which parses it with `JSON.parse`. A document may contain Python's
 * tokens (`NaN`) or integers that a double would round. Such a document crosses as strict text with
 * the places of the marks that replace them (`src/engine/js/json.rs`).
 */

import type * as contract from "../contract.ts";
import { splitVariable, variableAt } from "../elements/variable.ts";
import { parseDescription, type TypeDescription } from "../model/data_type.ts";
import type {
  ArraySummary,
  DecodeBuild,
  JsonText,
  NodeSummary,
  NumberTables,
  UnreadableSummary,
} from "../model/node_summary.ts";
import type { DataType } from "../model/types.ts";
import { newDecoder } from "../model/utf8.ts";
import type { Instances } from "./instances.ts";

/** Tokens that `JSON.parse` rejects, a byte order mark, and integers that may exceed 2^53. */
const SUSPECT = /NaN|Infinity|\d{16}|\uFEFF/;

/**
 * A JSON text in the form that crosses the port. The engine must run: call it only for text from
 * the engine.
 */
export function jsonText(instances: Instances, text: string): JsonText {
  if (!SUSPECT.test(text)) return text;
  return instances.callNow((glue) => glue.losslessJson(text, true)) as [string, string];
}

const holdsJson = ({ kind, inner }: TypeDescription): boolean =>
  kind === "json" || (inner !== undefined && holdsJson(inner));

/** The JSON elements that `JSON.parse` cannot read, as lossless texts, by their text. */
export function losslessElements(
  instances: Instances,
  type: TypeDescription,
  bytes: Uint8Array,
  count: number,
): Record<string, [string, string]> | undefined {
  if (!holdsJson(type)) return undefined;
  const elements = splitVariable(bytes, count);
  const lossless: Record<string, [string, string]> = Object.create(null);
  for (let at = 0; at < count; at += 1) addLossless(instances, type, variableAt(elements, at), lossless);
  return lossless;
}

const utf8 = newDecoder({ ignoreBOM: true });

function addLossless(
  instances: Instances,
  type: TypeDescription,
  element: Uint8Array,
  lossless: Record<string, [string, string]>,
): void {
  if (type.kind === "optional" && type.inner) {
    if (element[0]) addLossless(instances, type.inner, element.subarray(1), lossless);
    return;
  }
  const text = utf8.decode(element);
  if (text === "" || !SUSPECT.test(text)) return;
  try {
    JSON.parse(text);
  } catch {
    lossless[text] = instances.callNow((glue) => glue.losslessJson(text, false)) as [string, string];
  }
}

/**
 * The float types that have no typed array in JavaScript, except the two that the page widens
 * itself.
 */
function narrowFloats(type: TypeDescription, names: Set<string> = new Set()): Set<string> {
  const name = type.name.replace("complex_", "");
  if (type.widens && name !== "float16" && name !== "bfloat16") names.add(name);
  if (type.inner) narrowFloats(type.inner, names);
  for (const field of type.fields ?? []) narrowFloats(field.type, names);
  return names;
}

/** Tables from bit patterns to numbers for a type's narrow floats. */
export function tablesOf(instances: Instances, type: TypeDescription): NumberTables | undefined {
  const names = narrowFloats(type);
  if (names.size === 0) return undefined;
  return Object.fromEntries(
    [...names].map((name) => [name, instances.callNow((glue) => glue.narrowFloats(name)) as Float32Array]),
  );
}

/** As `jsonText`, for a text that may be absent. Rust writes JSON as plain text. */
const crossingText = (instances: Instances, text: string | undefined): JsonText | undefined =>
  text === undefined ? undefined : jsonText(instances, text);

/** Converts an array's summary for the port. */
export function crossingArray(instances: Instances, array: contract.ArraySummary): ArraySummary {
  const type = parseDescription(array.dataType);
  const { fillValue, fallback } = array;
  const lossless: Record<string, [string, string]> = Object.create(null);
  if (fillValue && holdsJson(type)) addLossless(instances, type, fillValue, lossless);
  return {
    ...array,
    dtype: array.dtype as DataType,
    build: array.build as DecodeBuild,
    codecs: array.codecs.map(({ name, configuration }) => ({
      name,
      configuration: crossingText(instances, configuration),
    })),
    storageTransformers: array.storageTransformers.map(({ extension, type: kind, configuration }) => ({
      extension,
      type: jsonText(instances, kind),
      configuration: crossingText(instances, configuration),
    })),
    fallback: fallback && { ...fallback, dataType: jsonText(instances, fallback.dataType) },
    tables: tablesOf(instances, type),
    losslessFill: Object.keys(lossless).length > 0 ? lossless : undefined,
  };
}

/** Converts a node's summary for the port. */
export function crossingSummary(instances: Instances, summary: contract.NodeSummary): NodeSummary {
  const { array } = summary;
  return {
    ...summary,
    attributes: jsonText(instances, summary.attributes),
    array: array && crossingArray(instances, array),
  };
}

/** As `crossingSummary`, for a node that cannot be opened. */
export const crossingUnreadable = (
  instances: Instances,
  summary: contract.UnreadableSummary,
): UnreadableSummary => ({
  ...summary,
  attributes: crossingText(instances, summary.attributes),
});
