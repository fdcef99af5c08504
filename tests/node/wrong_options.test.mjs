/**
 * Wrong options: every record of options of every public call, as the declarations have them. A
 * member that does not exist is refused with the nearest name, and a member of a wrong type with
 * its own name and the value. What options do is tested elsewhere.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { pyramidLayer } from "zarr-wasm/leaflet";
import * as zarr from "../../dist/index.js";
import { ADAPTER_CALLS, ADAPTERS } from "../support/declarations/adapter_arguments.mjs";
import { publicCalls } from "../support/declarations/calls.mjs";
import { CALLS, fresh } from "../support/declarations/right_arguments.mjs";

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

const ALL_CALLS = { ...CALLS, ...ADAPTER_CALLS };

/** The names of calls that were tested. */
const tested = new Set();

for (const [name, parameters] of Object.entries(publicCalls(["index", "zip", ...ADAPTERS]))) {
  const make = ALL_CALLS[name];
  if (!make || OPEN.some((pattern) => pattern.test(name))) continue;
  for (const [at, { name: parameter, options }] of parameters.entries()) {
    const members = Object.keys(options);
    if (!RECORDS.includes(parameter) || members.length === 0) continue;
    tested.add(name);
    test(`wrong ${parameter} of ${name}`, async () => {
      assert.deepEqual(await faultsOf(make, at, members), []);
    });
  }
}

test("each call of an adapter that takes options is tested", () => {
  const takesOptions = (parameters) =>
    parameters.some(({ name, options }) => RECORDS.includes(name) && Object.keys(options).length > 0);
  const declared = Object.entries(publicCalls(ADAPTERS)).filter(([, all]) => takesOptions(all));
  assert.deepEqual(
    declared.map(([name]) => name).filter((name) => !tested.has(name)),
    [],
  );
});

/** The error of an adapter's call with these options. */
async function errorOf(name, member, value) {
  const make = ADAPTER_CALLS[name];
  const { args } = await make(await fresh());
  return errorWith(make, args.length - 1, member, value);
}

test("a misspelt member of a channel of pictures is refused with its place", async () => {
  const channel = { channel: 0, color: "#ffffff", window: [0, 255] };
  for (const name of ["imageTiles", "mapTiles", "pyramidLayer", "new PyramidProtocol"]) {
    assert.equal(await errorOf(name, "channels", [channel]), undefined);
    const error = await errorOf(name, "channels", [channel, { ...channel, colour: "#ff0000" }]);
    assert.equal(error?.code, "Argument", name);
    assert.equal(error.field, "channels[1].colour");
    assert.match(error.message, /did you mean color\?/);
  }
});

test("options of Leaflet's own pass in `layer`, and nowhere else", async () => {
  const [L, image] = (await ADAPTER_CALLS.pyramidLayer(await fresh())).args;
  const layer = { opacity: 0.5, minZoom: -4, pane: "tilePane" };
  assert.deepEqual(pyramidLayer(L, image, { layer }).options, layer);
  assert.throws(() => pyramidLayer(L, image, layer), { code: "Argument", field: "opacity" });
});
