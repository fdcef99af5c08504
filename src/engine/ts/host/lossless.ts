/**
 * JSON elements that the page cannot read with `JSON.parse`, because they contain Python's tokens
 * (`NaN`). Texts of metadata come from Rust as `JsonText`.
 */
import type { JsonText } from "../../../contract/contract.ts";
import { splitVariable, variableAt } from "../elements/variable.ts";
import type { TypeDescription } from "../model/data_type.ts";
import { newDecoder } from "../model/utf8.ts";
import type { Instances } from "./instance_switch.ts";

/** What stands for elements, by their text. */
type Lossless = Record<string, JsonText>;

const holdsJson = ({ kind, inner }: TypeDescription): boolean =>
  kind === "json" || (inner !== undefined && holdsJson(inner));

/** What stands for the JSON elements that `JSON.parse` cannot read. */
export function losslessElements(
  instances: Instances,
  type: TypeDescription,
  bytes: Uint8Array,
  count: number,
): Lossless | undefined {
  if (!holdsJson(type)) return undefined;
  const elements = splitVariable(bytes, count);
  const lossless: Lossless = Object.create(null);
  for (let at = 0; at < count; at += 1) addLossless(instances, type, variableAt(elements, at), lossless);
  return lossless;
}

const utf8 = newDecoder({ ignoreBOM: true });

/** What only elements have that `JSON.parse` may not read: tokens, and a byte order mark. */
const SUSPECT = /NaN|Infinity|\uFEFF/;

function addLossless(
  instances: Instances,
  type: TypeDescription,
  element: Uint8Array,
  lossless: Lossless,
): void {
  if (type.kind === "optional" && type.inner) {
    if (element[0]) addLossless(instances, type.inner, element.subarray(1), lossless);
    return;
  }
  const text = utf8.decode(element);
  if (!SUSPECT.test(text)) return;
  try {
    JSON.parse(text);
  } catch {
    const [strict, marks] = instances.callNow((glue) => glue.losslessJson(text)) as [string, string];
    lossless[text] = { text: strict, marks };
  }
}
