/**
 * Generates JavaScript that reads what is on the screen, with zarr-wasm or zarrita. The program
 * stores the elements in `data`, in C order. A read of several ranges stores a list of results in
 * `parts`. The variables of a second read are `data2` or `parts2`, and so on. A difference is in
 * `difference`: one result, or a list.
 */

import { hasLimits, isPlain, type Unpacking } from "../../widgets/views/unpacking.js";
import {
  type AxisRead,
  partsOf,
  type Run,
  type StoreLocation,
  type ViewRead,
  type ViewReads,
} from "../../widgets/views/view_reads.js";
import { quoted } from "./quoted.js";
import { type VariableNames, variableNames } from "./variable_names.js";

type Library = "zarr-wasm" | "zarrita";

/** How a store is made. */
interface StoreCode {
  imports: readonly string[];
  make: string;
}

const WIDTH = 90;

/** Null if the library has no such store. */
export function javascriptOf({ reads, difference }: ViewReads, library: Library): string | null {
  const stores = reads.map(({ store }) => (library === "zarrita" ? zarritaStore : ownStore)(store));
  const known = stores.filter((store) => store !== null);
  if (known.length < stores.length) return null;
  const imports = [`import * as zarr from "${library}";`, ...known.flatMap((store) => store.imports)];
  const lines = [
    `// npm install ${library}`,
    ...new Set(imports),
    ...reads.flatMap((read, at) => {
      const names = variableNames(reads, at);
      return [
        "",
        ...(reads.length > 1 ? [`// ${quoted(read.title)}`] : []),
        ...(names.opensStore ? [`const ${names.store} = ${known[at]?.make};`] : []),
        ...(names.opensArray ? [openLine(read.path, library, names)] : []),
        ...noteLines(read),
        ...(library === "zarrita" ? zarritaLines(read, names) : ownLines(read, names)),
      ];
    }),
    ...(difference ? differenceLines(reads, difference.isTransposed) : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** The first minus the second, element by element. */
function differenceLines(reads: readonly ViewRead[], isTransposed: boolean): string[] {
  const [one, other] = reads.map((_read, at) => variableNames(reads, at).own);
  if (!one || !other) return [];
  const index = isTransposed ? "(at % columns) * rows + Math.floor(at / columns)" : "at";
  const sides = isTransposed ? ["  const [rows, columns] = shape;"] : [];
  return [
    "",
    "// The first minus the second, element by element.",
    "const minus = ({ data, shape }, other) => {",
    ...sides,
    `  const subtract = (value, at) => Number(value) - Number(other[${index}]);`,
    "  return { data: Float64Array.from(data, subtract), shape };",
    "};",
    ...(reads.some(({ axes }) => partsOf(axes).length > 1)
      ? [`const difference = ${one("parts")}.map((part, at) => minus(part, ${other("parts")}[at].data));`]
      : [`const difference = minus({ data, shape }, ${other("data")});`]),
  ];
}

function ownStore({ kind, address, isLocal, version }: StoreLocation): StoreCode | null {
  const location = quoted(address);
  const file = 'import { openAsBlob } from "node:fs";';
  if (isLocal && kind === "references") return null;
  if (isLocal && kind === "zip")
    return { imports: [file], make: `zarr.ZipFileStore.fromBlob(await openAsBlob(${location}))` };
  if (isLocal) {
    const imports = ['import { FileSystemStore } from "zarr-wasm/fs";'];
    return { imports, make: `new FileSystemStore(${location})` };
  }
  if (kind === "icechunk" && version) {
    const state = `{ ${version.kind}: ${quoted(version.name)} }`;
    return { imports: [], make: `new zarr.IcechunkStore(${location}, ${state})` };
  }
  if (kind === "zip") return { imports: [], make: `zarr.ZipFileStore.fromUrl(${location})` };
  if (kind === "references") return { imports: [], make: `await zarr.ReferenceStore.fromUrl(${location})` };
  return { imports: [], make: `new zarr.FetchStore(${location})` };
}

function zarritaStore({ kind, address, isLocal }: StoreLocation): StoreCode | null {
  const location = quoted(address);
  const from = (name: string, file: string) => `import ${name} from "@zarrita/storage/${file}";`;
  if (kind === "icechunk" || (isLocal && kind === "references")) return null;
  if (kind === "references")
    return { imports: [from("ReferenceStore", "ref")], make: `await ReferenceStore.fromUrl(${location})` };
  if (kind === "zip" && isLocal) {
    const imports = ['import { openAsBlob } from "node:fs";', from("ZipFileStore", "zip")];
    return { imports, make: `ZipFileStore.fromBlob(await openAsBlob(${location}))` };
  }
  if (kind === "zip")
    return { imports: [from("ZipFileStore", "zip")], make: `ZipFileStore.fromUrl(${location})` };
  if (isLocal) return { imports: [from("FileSystemStore", "fs")], make: `new FileSystemStore(${location})` };
  return { imports: [], make: `new zarr.FetchStore(${location})` };
}

function openLine(path: string, library: Library, { store, array }: VariableNames): string {
  if (library === "zarr-wasm") {
    const options = path === "" ? '{ kind: "array" }' : `{ path: ${quoted(path)}, kind: "array" }`;
    return `const ${array} = await zarr.open(${store}, ${options});`;
  }
  const location = path === "" ? `zarr.root(${store})` : `zarr.root(${store}).resolve(${quoted(path)})`;
  return `const ${array} = await zarr.open(${location}, { kind: "array" });`;
}

function noteLines({ isWarped, level }: ViewRead): string[] {
  return [
    ...(level === null ? [] : [`// Level ${level} of the image, which is the one on the screen.`]),
    ...(isWarped ? ["// Rows and columns are not those of the map: this reads the whole plane."] : []),
  ];
}

const rangeText = (read: number | Run): string =>
  typeof read === "number" ? String(read) : `zarr.slice(${read[0]}, ${read[1]})`;

/** A name as it is if it is a word, else in quotes: a name may have several lines. */
const wordOf = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name));

/** The selection by names of dimensions if all have one, else by position. */
function selectionText(axes: readonly AxisRead[], part: readonly (number | Run)[], byName: boolean): string {
  const texts = part.map(rangeText);
  if (!byName) return `[${texts.join(", ")}]`;
  return `{ ${axes.map(({ name }, at) => `${wordOf(name)}: ${texts[at]}`).join(", ")} }`;
}

const areNamed = (axes: readonly AxisRead[]) =>
  axes.every(({ name }) => name !== "") && new Set(axes.map(({ name }) => name)).size === axes.length;

/** The pattern that takes the members of a result. */
const resultOf = ({ own }: VariableNames): string => {
  const members = ["data", "shape"].map((name) => (own(name) === name ? name : `${name}: ${own(name)}`));
  return `{ ${members.join(", ")} }`;
};

function ownLines({ axes, unpacking, zarrFormat }: ViewRead, names: VariableNames): string[] {
  const byName = areNamed(axes);
  const isUsual = zarrFormat === 3 || unpacking?.hasFillValue;
  const decode = isUsual ? '"cf"' : '{ convention: "cf", zarrFillValue: false }';
  const options = unpacking ? [`{ decode: ${decode} }`] : [];
  const selections = partsOf(axes).map((part) => selectionText(axes, part, byName));
  const [only = "", ...others] = selections;
  const get = `${names.array}.get`;
  if (others.length === 0) return callLines(`const ${resultOf(names)} = await ${get}`, [only, ...options]);
  return partLines(selections, `${get}(${["selection", ...options].join(", ")})`, names);
}

/** A call, with an argument on each line if one line would be too long. */
function callLines(call: string, args: readonly string[]): string[] {
  const line = `${call}(${args.join(", ")});`;
  return line.length <= WIDTH ? [line] : [`${call}(`, ...args.map((each) => `  ${each},`), ");"];
}

function partLines(selections: readonly string[], call: string, { own }: VariableNames): string[] {
  return [
    `const ${own("selections")} = [`,
    ...selections.map((selection) => `  ${selection},`),
    "];",
    `const ${own("parts")} = await Promise.all(${own("selections")}.map((selection) => ${call}));`,
  ];
}

function zarritaLines({ axes, unpacking }: ViewRead, names: VariableNames): string[] {
  const { array, own } = names;
  const dimensions = areNamed(axes) ? [`// ${axes.map(({ name }) => wordOf(name)).join(", ")}`] : [];
  const selections = partsOf(axes).map((part) => selectionText(axes, part, false));
  const isUnpacked = unpacking !== null && !isPlain(unpacking);
  if (selections.length > 1) {
    const get = `zarr.get(${array}, selection)`;
    const call = isUnpacked ? `${get}.then(${own("unpacked")})` : get;
    const unpack = isUnpacked ? unpackLines(unpacking, names) : [];
    return [...unpack, ...dimensions, ...partLines(selections, call, names)];
  }
  const args = [array, selections[0] ?? ""];
  const result = resultOf(names);
  if (!isUnpacked) return [...dimensions, ...callLines(`const ${result} = await zarr.get`, args)];
  const lines = [...dimensions, ...callLines(`const ${own("stored")} = await zarr.get`, args)];
  const unpacked = `const ${result} = ${own("unpacked")}(${own("stored")});`;
  return [...unpackLines(unpacking, names), ...lines, unpacked];
}

/** The function that unpacks a result by CF's attributes. */
function unpackLines(
  { scale, offset, missing, valid, isReinterpreted }: Unpacking,
  { own }: VariableNames,
): string[] {
  const [low, high] = valid;
  const tests = [
    ...(missing.length > 0 ? [`[${missing.join(", ")}].includes(value)`] : []),
    ...(Number.isFinite(low) ? [`value < ${low}`] : []),
    ...(Number.isFinite(high) ? [`value > ${high}`] : []),
  ];
  const scaled = `${scale === 1 ? "value" : `value * ${scale}`}${offset === 0 ? "" : ` + ${offset}`}`;
  const result = tests.length > 0 ? `${tests.join(" || ")} ? NaN : ${scaled}` : scaled;
  return [
    ...(isReinterpreted ? ["// The attribute _Unsigned is not taken into account."] : []),
    ...(hasLimits({ valid }) || missing.length > 0
      ? ["// CF's attributes tell which values are missing."]
      : []),
    `const ${own("unpack")} = (value) => (${result});`,
    `const ${own("unpacked")} = ({ data, shape }) => ({`,
    `  data: Float64Array.from(data, (stored) => ${own("unpack")}(Number(stored))),`,
    "  shape,",
    "});",
  ];
}
