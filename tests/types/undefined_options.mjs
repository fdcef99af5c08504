/**
 * Writes a module that compiles, with `exactOptionalPropertyTypes`, only if each optional member of
 * the options of each public call may be `undefined`. The calls are read from the declarations.
 */
import { publicCalls } from "../support/declarations/calls.mjs";

const HEAD = `import * as zarr from "zarr-wasm";
import * as zip from "zarr-wasm/zip";

/** The optional members of a record; of each record of a union. */
type Optional<T> = T extends object ? { [K in keyof T as {} extends Pick<T, K> ? K : never]: T[K] } : never;

/** A record whose optional members are all there, and undefined. */
type Emptied<T> = { [K in keyof Required<T>]: undefined };

/** Compiles only if the members may be undefined. */
declare function mayBeUndefined<T>(...wrong: Emptied<Optional<T>> extends Optional<T> ? [] : [T]): void;
`;

/** The type of the list of parameters of a call. */
function parametersOf(call) {
  const space = /^(new )?(BlobReader|HTTPRangeReader)/.test(call) ? "zip" : "zarr";
  if (call.startsWith("new ")) return `ConstructorParameters<typeof ${space}.${call.slice(4)}>`;
  const [name, method] = call.split(".");
  if (!method) return `Parameters<typeof ${space}.${name}>`;
  const isOfClass = /^[A-Z]/.test(name) && !/^(from|of$|resolveUri)/.test(method);
  return isOfClass
    ? `Parameters<${space}.${name}["${method}"]>`
    : `Parameters<typeof ${space}.${name}.${method}>`;
}

/** Calls whose types cannot be named from outside: methods for subclasses, and classes of types. */
const UNNAMED = /^(new )?(Points|AtValue|BetweenValues|default)\b|\.(put|remove)$|^new \w*(Plan|Units|Node)$/;

/** Parameters that are records of options; others are stores, selections and values. */
const RECORDS = ["options", "view", "viewport", "convention", "dataset", "more", "node"];

/** The text of the module. */
export function undefinedOptions() {
  const lines = [];
  for (const [call, parameters] of Object.entries(publicCalls(["index", "zip"]))) {
    if (UNNAMED.test(call)) continue;
    for (const [at, { name, options }] of parameters.entries())
      if (RECORDS.includes(name) && Object.keys(options).length > 0)
        lines.push(`mayBeUndefined<${parametersOf(call)}[${at}]>();`);
  }
  return [HEAD, ...lines, ""].join("\n");
}
