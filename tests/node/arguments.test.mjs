/**
 * Wrong arguments: each public call, with each argument replaced by what it cannot be, answers with
 * an `Argument` error that names the argument. `every_argument.test.mjs` tries far more values, and
 * the members of options, and asks only that nothing breaks. The calls and what is right for them
 * are in `tests/support/declarations/right_arguments.mjs`.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "../../dist/index.js";
import { CALLS, fresh, RIGHT } from "../support/declarations/right_arguments.mjs";
import { pause } from "../support/waiting.mjs";

const unhandled = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));
/** Addresses without a server need no attempts over the network. */
globalThis.fetch = async () => new Response(null, { status: 404 });

const WRONG = {
  null: () => null,
  undefined: () => undefined,
  number: () => 7,
  "empty object": () => ({}),
  text: () => "no such thing",
  group: ({ group }) => group,
  array: ({ array }) => array,
};

/** Calls, and reads what is a stream. */
async function outcome({ call, args }) {
  try {
    const answer = await call(...args);
    if (typeof answer?.next === "function") await answer.next();
    return {};
  } catch (error) {
    return { error };
  }
}

/** Other words for an argument in a message of the engine or of its values. */
const WORDS = {
  options: /\boption\b|^op must be/,
  place: /store|URL/,
  source: /store|URL|array/,
  target: /store|URL/,
  store: /store|URL/,
  shape: /shape/,
  index: /chunk/,
  element: /element|index/,
  date: /date/,
  dates: /date/,
  selection: /dimension/,
  value: /cannot hold|date/,
  from: /date/,
  to: /date/,
  axis: /dimension/,
};

const namesIt = (error, name) =>
  error.field === name || new RegExp(`\\b${name}\\b`).test(error.message) || WORDS[name]?.test(error.message);

for (const [name, make] of Object.entries(CALLS)) {
  test(`wrong arguments of ${name}`, async () => {
    const { types, args } = await make(await fresh());
    const right = await outcome(await make(await fresh()));
    assert.ok(
      !right.error || right.error instanceof zarr.ZarrError,
      `right arguments: ${right.error?.stack}`,
    );
    const faults = [];
    for (const [at, argument] of Object.keys(types).entries()) {
      for (const [kind, value] of Object.entries(WRONG)) {
        const objects = await fresh();
        const one = await make(objects);
        one.args = args.map((_, place) => (place === at ? value(objects) : one.args[place]));
        const { error } = await outcome(one);
        const isRight = RIGHT[types[argument]].includes(kind);
        const isTyped = error === undefined ? isRight : error instanceof zarr.ZarrError;
        const isNamed = isRight || (error?.code === "Argument" && namesIt(error, argument));
        if (!isTyped || !isNamed)
          faults.push(`${argument}: ${kind}: ${error ? `${error.code} ${error.message}` : "no error"}`);
      }
    }
    assert.deepEqual(faults, []);
  });
}

test("no call left a rejection that nobody handles", async () => {
  await pause(50);
  assert.deepEqual(unhandled, []);
  zarr.dispose();
});
