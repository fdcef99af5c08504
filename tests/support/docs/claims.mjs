/**
 * Compares results with what comments of the documentation state. `claim_lines.mjs` puts the calls
 * into the programs. It runs in Node and in browsers.
 */

/** A value as text that distinguishes bigints, typed arrays, NaN and undefined. */
function show(value) {
  const plain = (_key, part) => {
    if (typeof part === "bigint") return `${part}n`;
    if (typeof part === "number" && !Number.isFinite(part)) return `number ${part}`;
    if (part === undefined) return "undefined";
    return part;
  };
  return JSON.stringify(value, plain);
}

function fail(place, expected, actual) {
  throw new Error(`${place}: the page says ${expected}, and the result is ${actual}`);
}

/** `Float32Array(4) [1, 2, …]`: the class, the length, and the first elements if any are given. */
function claimElements(place, actual, stated, [, name, length, listed]) {
  if (actual?.constructor?.name !== name) fail(place, stated, actual?.constructor?.name);
  if (actual.length !== Number(length)) fail(place, stated, `of length ${actual.length}`);
  if (listed === undefined) return;
  const isWhole = !listed.endsWith(", …");
  const expected = evaluate(place, `[${listed.replace(/, …$/, "")}]`);
  const found = Array.from(isWhole ? actual : actual.slice(0, expected.length));
  if (show(found) !== show(expected)) fail(place, stated, show(found));
}

/** `≈ 287.4`: equal when rounded to as many decimals as the page has. */
function claimRounded(place, actual, stated) {
  const text = stated.slice(1).trim();
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw new Error(`${place}: "${stated}" is not a rounded number`);
  const decimals = text.split(".")[1]?.length ?? 0;
  if (typeof actual !== "number" || actual.toFixed(decimals) !== text) fail(place, stated, actual);
}

function evaluate(place, text) {
  try {
    return new Function(`return (${text});`)();
  } catch (error) {
    throw new Error(`${place}: "${text}" begins as a value and is none: ${error.message}`);
  }
}

export function claim(place, actual, stated) {
  const elements = /^(\w+Array)\((\d+)\)(?: \[(.*)\])?$/.exec(stated);
  if (elements) claimElements(place, actual, stated, elements);
  else if (stated.startsWith("≈")) claimRounded(place, actual, stated);
  else {
    const expected = evaluate(place, stated);
    if (show(actual) !== show(expected)) fail(place, stated, show(actual));
  }
}

export async function rejects(place, run, name) {
  const outcome = await run().then(
    () => "nothing was thrown",
    (error) => error?.name ?? String(error),
  );
  if (outcome !== name) fail(place, `throws ${name}`, outcome);
}
