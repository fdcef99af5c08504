/**
 * Every public call of the declarations, with every argument and every member of its options
 * replaced by values of every kind. A call either resolves or rejects with a `ZarrError`. It never
 * ends in another error, a rejection without a handler, silence, or an engine that cannot read.
 * `arguments.test.mjs` tests which arguments are refused.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import * as zarr from "../../dist/index.js";
import { publicCalls } from "../support/declarations/calls.mjs";
import { CALLS, fresh, NOT_CALLED } from "../support/declarations/right_arguments.mjs";
import { THROWN, VALUES } from "../support/declarations/values.mjs";

const DECLARED = publicCalls(["index", "zip"]);
const CASE = process.env.ARGUMENTS_CASE;

/** A call that takes longer hangs. */
const LONGEST_MS = 30_000;

const unhandled = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));
/** Addresses without a server need no attempts over the network. */
globalThis.fetch = async () => new Response(null, { status: 404 });

const ELEMENTS = [1, 2, 3, 4];
const { get: readProbe } = await (async () => {
  const probe = await zarr.create(new Map(), { shape: [4], chunkShape: [2], dtype: "int32" });
  await probe.set(null, ELEMENTS);
  return { get: async () => [...(await probe.get(null, { cache: "reload" })).data] };
})();

test("each declared call has right arguments", () => {
  const missing = Object.keys(DECLARED).filter(
    (name) => !CALLS[name] && !NOT_CALLED.some((pattern) => pattern.test(name)),
  );
  assert.deepEqual(missing, []);
});

/**
 * The places of a call at which a value goes: a whole argument, or a member of one. The members of
 * an option `array` are those of the options of `create`.
 */
function* placesOf(parameters) {
  for (const [at, { name, options }] of parameters.entries()) {
    yield { at, name, members: [] };
    for (const [member, inner] of Object.entries(options)) {
      yield { at, name, members: [member] };
      if (member === "array") continue;
      for (const innermost of Object.keys(inner)) yield { at, name, members: [member, innermost] };
    }
  }
}

const isPlain = (value) => Object.getPrototypeOf(Object(value)) === Object.prototype;

/** An argument with one member replaced. Objects that are no options stay as they are. */
function withMember(argument, [member, ...more], value) {
  if (member === undefined) return value;
  const whole = argument === undefined || isPlain(argument) ? { ...argument } : argument;
  if (whole === argument) return argument;
  return { ...whole, [member]: withMember(whole[member], more, value) };
}

async function outcome({ call, args }) {
  try {
    const answer = await call(...args);
    if (typeof answer?.next === "function") {
      await answer.next();
      await answer.return?.();
    }
    return undefined;
  } catch (error) {
    return { error };
  }
}

const HANGS = Symbol("hangs");

function bounded(promise) {
  let timer;
  const bound = new Promise((resolve) => {
    timer = setTimeout(resolve, LONGEST_MS, HANGS);
  });
  return Promise.race([promise, bound]).finally(() => clearTimeout(timer));
}

/** What is wrong with the outcome of a call; undefined if nothing is. */
function faultOf(ended) {
  if (ended === HANGS) return "hangs";
  if (!ended || ended.error === THROWN) return undefined;
  const { error } = ended;
  if (!(error instanceof zarr.ZarrError)) return `${error?.stack ?? String(error)}`;
  return /internal error/.test(error.message) ? error.message : undefined;
}

/** Each place gets every third value, in turn. `ARGUMENTS_EVERY=1` walks all. */
const EVERY = Number(process.env.ARGUMENTS_EVERY ?? 3);

async function faultsAt(make, { at, members }, number) {
  const faults = [];
  const chosen = Object.entries(VALUES).filter((_, value) => (value + number) % EVERY === 0);
  for (const [kind, value] of chosen) {
    const one = await make(await fresh());
    const args = [...one.args];
    while (args.length < at) args.push(undefined);
    args[at] = withMember(args[at], members, value());
    const fault = faultOf(await bounded(outcome({ ...one, args })));
    await turn();
    const left = unhandled.splice(0).map((reason) => `unhandled: ${reason?.stack ?? String(reason)}`);
    const read = await bounded(readProbe());
    const dead =
      read !== HANGS && String(read) === String(ELEMENTS) ? [] : [`reads ${String(read)} afterwards`];
    for (const each of [...(fault ? [fault] : []), ...left, ...dead]) faults.push(`${kind}: ${each}`);
  }
  return faults;
}

/** `init` is the last, because its options stay. */
const names = Object.keys(DECLARED).filter((name) => name !== "init");

for (const name of [...names, "init"]) {
  const parameters = DECLARED[name];
  const make = CALLS[name];
  if (!make || (CASE && !name.includes(CASE))) continue;
  test(`every argument of ${name}`, async () => {
    const faults = [];
    for (const [number, place] of [...placesOf(parameters)].entries()) {
      const shown = [place.name, ...place.members].join(".");
      for (const fault of await faultsAt(make, place, number)) faults.push(`${shown}: ${fault}`);
    }
    assert.deepEqual(faults, []);
  });
}

after(() => zarr.dispose());
