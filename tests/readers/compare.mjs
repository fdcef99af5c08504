/** What a reader made of an array: a line of its driver beside the elements of `expected.json`. */

/** `expected.json` writes bytes as base64 and optional values as lists, as drivers do. */
const sameJson = (found, expected) => JSON.stringify(found) === JSON.stringify(expected);

/** Coordinates are sums and products, which libraries compute in another order. */
const isClose = (found, wanted) => Math.abs(found - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted));

function areClose(found = [], wanted) {
  return found.length === wanted.length && wanted.every((value, at) => isClose(found[at], value));
}

/** Bits of fixed-size elements, JSON of others, or numbers; an empty array has no elements. */
function isSame(line, expected) {
  if (expected.numbers) return areClose(line.numbers, expected.numbers);
  if (expected.shape && !sameJson(line.shape, expected.shape)) return false;
  if (expected.values_json) return sameJson(line.json, expected.values_json);
  return line.values === expected.values;
}

/** Arrays of which no text says what is in them. Other values are not wrong there. */
const OPEN = ["form:broken-rule", "form:unspecified"];

/** Other values of an array with these features, by a reader with these other models. */
export const isOther = (features, models = []) =>
  features.some((feature) => OPEN.includes(feature) || models.includes(feature));

/** `reads`: all elements are equal to the bit. `wrong`: the reader gave others. `refuses`: an error. */
export function outcomeOf(line, expected) {
  if (line.error !== undefined) return "refuses";
  return isSame(line, expected) ? "reads" : "wrong";
}

/** The first element that differs, for people: `[at, found, expected]` in hexadecimal or JSON. */
export function firstDifference(line, expected) {
  if (expected.numbers) return ["numbers", line.numbers, expected.numbers];
  if (expected.shape && !sameJson(line.shape, expected.shape)) return ["shape", line.shape, expected.shape];
  if (expected.values_json) {
    const at = expected.values_json.findIndex((value, index) => !sameJson(line.json?.[index], value));
    return [at, line.json?.[at], expected.values_json[at]];
  }
  const [found, wanted] = [line.values, expected.values].map((text) => Buffer.from(text ?? "", "base64"));
  const count = expected.size ?? expected.shape.reduce((product, extent) => product * extent, 1);
  const size = wanted.length / count || 1;
  const differs = (at) => found[at] !== wanted[at];
  const byte = Array.from(wanted.keys()).findIndex(differs);
  const start = byte - (byte % size);
  return [
    start / size,
    found.subarray(start, start + size).toString("hex"),
    wanted.subarray(start, start + size).toString("hex"),
  ];
}
