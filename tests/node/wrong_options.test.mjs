/**
 * Wrong options: every record of options of every public call, as the declarations have them. A
 * member that does not exist is refused with the nearest name, and a member of a wrong type with
 * its own name and the value. What options do is tested elsewhere.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "../../dist/index.js";
import { publicCalls } from "../declarations/calls.mjs";
import { CALLS, fresh } from "../declarations/right_arguments.mjs";

after(() => zarr.dispose());
/** Addresses without a server need no attempts over the network. */
globalThis.fetch = async () => new Response(null, { status: 404 });

/** Parameters that are records of options. */
const RECORDS = ["options", "view", "viewport", "convention", "dataset", "more"];

/** Records that are open, and whose they are. */
const OPEN = [
  /** zarrita passes options on to the store, whose they are. */
  /^\w*Store\.(get|getRange|size|set)$/,
];

/** Members whose values are opaque here, and why. */
const OPAQUE = {
  /** They may be secrets, so errors do not tell them. */
  headers: /./,
  /** Any value of the language is a fill value, and the data type judges it. */
  fillValue: /./,
};

const WRONG = Symbol("wrong");

async function outcome({ call, args }) {
  try {
    const answer = await call(...args);
    if (typeof answer?.next === "function") {
      await answer.next();
      await answer.return?.();
    }
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The error of a call with one more member in a record. */
async function errorWith(make, at, member, value) {
  const one = await make(await fresh());
  const args = [...one.args];
  while (args.length < at) args.push(undefined);
  args[at] = { ...args[at], [member]: value };
  return outcome({ ...one, args });
}

/** A name that is no option, and is near to one. */
const misspelt = (member) => `q${member}`;

const isNamed = (error, member) =>
  error instanceof zarr.ZarrError &&
  error.code === "Argument" &&
  error.field === member &&
  new RegExp(`\\b${member}\\b`).test(error.message);

/** What is wrong with the error of a member that does not exist. */
function faultOfUnknown(error, wrong, member) {
  const isRight = isNamed(error, wrong) && error.message.includes(`did you mean ${member}?`);
  return isRight ? [] : [`${wrong}: ${error ? `${error.code} ${error.message}` : "no error"}`];
}

/** What is wrong with the error of a member of a wrong type. */
function faultOfType(error, member) {
  const isTold = isNamed(error, member) && `${error.message} ${error.actual}`.includes("Symbol(wrong)");
  return isTold ? [] : [`${member}: ${error ? `${error.code} ${error.message}` : "no error"}`];
}

async function faultsOf(make, at, members) {
  const faults = [];
  for (const member of members) {
    // Names of one or two letters are near to none.
    if (member.length > 2) {
      const wrong = misspelt(member);
      faults.push(...faultOfUnknown(await errorWith(make, at, wrong, 1), wrong, member));
    }
    if (OPAQUE[member]) continue;
    faults.push(...faultOfType(await errorWith(make, at, member, WRONG), member));
  }
  return faults;
}

for (const [name, parameters] of Object.entries(publicCalls(["index", "zip"]))) {
  const make = CALLS[name];
  if (!make || OPEN.some((pattern) => pattern.test(name))) continue;
  for (const [at, { name: parameter, options }] of parameters.entries()) {
    const members = Object.keys(options);
    if (!RECORDS.includes(parameter) || members.length === 0) continue;
    test(`wrong ${parameter} of ${name}`, async () => {
      assert.deepEqual(await faultsOf(make, at, members), []);
    });
  }
}
