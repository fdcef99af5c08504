/**
 * Writes a read as JavaScript for zarr-wasm or zarrita. The code leaves the elements in `data`, in
 * C order. If there are several ranges, it leaves a list of results with `data` in `parts`.
 */

import { quoted } from "./quoted.js";
import { type AxisRead, partsOf, type Run, type ScreenRead, type StorePlace } from "./screen_read.js";
import { hasLimits, isPlain, type Unpacking } from "./unpacking.js";

type Library = "zarr-wasm" | "zarrita";

/** How a store is made. */
interface StoreCode {
  imports: readonly string[];
  make: string;
}

const WIDTH = 90;

/** Null if the library has no such store. */
export function javascriptOf(read: ScreenRead, library: Library): string | null {
  const store = (library === "zarrita" ? zarritaStore : ownStore)(read.store);
  if (!store) return null;
  const lines = [
    `// npm install ${library}`,
    `import * as zarr from "${library}";`,
    ...store.imports,
    "",
    `const store = ${store.make};`,
    openLine(read.path, library),
    ...noteLines(read),
    ...(library === "zarrita" ? zarritaLines(read) : ownLines(read)),
  ];
  return `${lines.join("\n")}\n`;
}

function ownStore({ kind, address, isLocal, version }: StorePlace): StoreCode | null {
  const place = quoted(address);
  const file = 'import { openAsBlob } from "node:fs";';
  if (isLocal && kind === "references") return null;
  if (isLocal && kind === "zip")
    return { imports: [file], make: `zarr.ZipFileStore.fromBlob(await openAsBlob(${place}))` };
  if (isLocal) {
    const imports = ['import { FileSystemStore } from "zarr-wasm/fs";'];
    return { imports, make: `new FileSystemStore(${place})` };
  }
  if (kind === "icechunk" && version) {
    const state = `{ ${version.kind}: ${quoted(version.name)} }`;
    return { imports: [], make: `new zarr.IcechunkStore(${place}, ${state})` };
  }
  if (kind === "zip") return { imports: [], make: `zarr.ZipFileStore.fromUrl(${place})` };
  if (kind === "references") return { imports: [], make: `await zarr.ReferenceStore.fromUrl(${place})` };
  return { imports: [], make: `new zarr.FetchStore(${place})` };
}

function zarritaStore({ kind, address, isLocal }: StorePlace): StoreCode | null {
  const place = quoted(address);
  const from = (name: string, file: string) => `import ${name} from "@zarrita/storage/${file}";`;
  if (kind === "icechunk" || (isLocal && kind === "references")) return null;
  if (kind === "references")
    return { imports: [from("ReferenceStore", "ref")], make: `await ReferenceStore.fromUrl(${place})` };
  if (kind === "zip" && isLocal) {
    const imports = ['import { openAsBlob } from "node:fs";', from("ZipFileStore", "zip")];
    return { imports, make: `ZipFileStore.fromBlob(await openAsBlob(${place}))` };
  }
  if (kind === "zip")
    return { imports: [from("ZipFileStore", "zip")], make: `ZipFileStore.fromUrl(${place})` };
  if (isLocal) return { imports: [from("FileSystemStore", "fs")], make: `new FileSystemStore(${place})` };
  return { imports: [], make: `new zarr.FetchStore(${place})` };
}

function openLine(path: string, library: Library): string {
  if (library === "zarr-wasm") {
    const options = path === "" ? '{ kind: "array" }' : `{ path: ${quoted(path)}, kind: "array" }`;
    return `const array = await zarr.open(store, ${options});`;
  }
  const place = path === "" ? "zarr.root(store)" : `zarr.root(store).resolve(${quoted(path)})`;
  return `const array = await zarr.open(${place}, { kind: "array" });`;
}

function noteLines({ isWarped, level }: ScreenRead): string[] {
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

function ownLines({ axes, unpacking, zarrFormat }: ScreenRead): string[] {
  const byName = areNamed(axes);
  const isUsual = zarrFormat === 3 || unpacking?.hasFillValue;
  const decode = isUsual ? '"cf"' : '{ convention: "cf", zarrFillValue: false }';
  const options = unpacking ? [`{ decode: ${decode} }`] : [];
  const selections = partsOf(axes).map((part) => selectionText(axes, part, byName));
  const [only = "", ...others] = selections;
  if (others.length === 0) return callLines("const { data, shape } = await array.get", [only, ...options]);
  return partLines(selections, `array.get(${["selection", ...options].join(", ")})`);
}

/** A call, with an argument on each line if one line would be too long. */
function callLines(call: string, args: readonly string[]): string[] {
  const line = `${call}(${args.join(", ")});`;
  return line.length <= WIDTH ? [line] : [`${call}(`, ...args.map((each) => `  ${each},`), ");"];
}

function partLines(selections: readonly string[], call: string): string[] {
  return [
    `const selections = [`,
    ...selections.map((selection) => `  ${selection},`),
    "];",
    `const parts = await Promise.all(selections.map((selection) => ${call}));`,
  ];
}

function zarritaLines({ axes, unpacking }: ScreenRead): string[] {
  const names = areNamed(axes) ? [`// ${axes.map(({ name }) => wordOf(name)).join(", ")}`] : [];
  const selections = partsOf(axes).map((part) => selectionText(axes, part, false));
  const isUnpacked = unpacking !== null && !isPlain(unpacking);
  if (selections.length > 1) {
    const call = isUnpacked ? "zarr.get(array, selection).then(unpacked)" : "zarr.get(array, selection)";
    return [...(isUnpacked ? unpackLines(unpacking) : []), ...names, ...partLines(selections, call)];
  }
  const args = ["array", selections[0] ?? ""];
  if (!isUnpacked) return [...names, ...callLines("const { data, shape } = await zarr.get", args)];
  const lines = [...names, ...callLines("const stored = await zarr.get", args)];
  return [...unpackLines(unpacking), ...lines, "const { data, shape } = unpacked(stored);"];
}

/** The function that unpacks a result by CF's attributes. */
function unpackLines({ scale, offset, missing, valid, isReinterpreted }: Unpacking): string[] {
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
    `const unpack = (value) => (${result});`,
    "const unpacked = ({ data, shape }) => ({",
    "  data: Float64Array.from(data, (stored) => unpack(Number(stored))),",
    "  shape,",
    "});",
  ];
}
