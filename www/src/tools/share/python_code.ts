/**
 * Generates Python that reads what is on the screen, with xarray or zarr-python. The program stores
 * the elements in `data`, those of a second read in `data2`, and so on. A difference is in
 * `difference`. Several ranges are joined in the order of the screen.
 */

import { hasLimits, isPlain, type Unpacking } from "../../widgets/views/unpacking.js";
import type { AxisRead, Run, StoreLocation, ViewRead, ViewReads } from "../../widgets/views/view_reads.js";
import { quoted } from "./quoted.js";
import { type VariableNames, variableNames } from "./variable_names.js";

type Library = "xarray" | "zarr-python";

/** How a store is made. */
interface StoreCode {
  packages: readonly string[];
  imports: readonly string[];
  make: string;
}

/** Null if the libraries have no such store. */
export function pythonOf({ reads, difference }: ViewReads, library: Library): string | null {
  const stores = reads.map(({ store }) => storeOf(store)).filter((store) => store !== null);
  if (stores.length < reads.length) return null;
  const bodies = reads.map((read, at) => bodyLines(read, library, variableNames(reads, at)));
  const blocks = bodies.map((body, at) => {
    const { store, opensStore } = variableNames(reads, at);
    return [
      "",
      ...(reads.length > 1 ? [`# ${quoted(reads[at]?.title ?? "")}`] : []),
      ...(opensStore ? [`${store} = ${stores[at]?.make}`] : []),
      ...body,
    ];
  });
  const usesZarr = reads.some((read) => !opensDataset(read, library));
  const modules = [...(usesZarr ? ["zarr"] : []), ...(library === "xarray" ? ["xarray as xr"] : [])];
  const usesNumpy = bodies.flat().some((line) => line.includes("np."));
  const imports = [...(usesNumpy ? ["numpy as np"] : []), ...modules].map((name) => `import ${name}`);
  const packages = [...(library === "xarray" ? ["xarray"] : []), "zarr"];
  const lines = [
    `# pip install ${[...new Set([...packages, ...stores.flatMap((store) => store.packages)])].join(" ")}`,
    ...[...new Set([...imports, ...stores.flatMap((store) => store.imports)])].sort(),
    ...blocks.flat(),
    ...(difference ? differenceLines(library, difference.isTransposed) : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** Whether xarray opens the group of the array, and has its coordinates. */
const opensDataset = ({ isInDataset, unpacking }: ViewRead, library: Library): boolean =>
  library === "xarray" && isInDataset && readsAlike(unpacking);

const bodyLines = (read: ViewRead, library: Library, names: VariableNames): string[] =>
  opensDataset(read, library) ? datasetLines(read, names) : arrayLines(read, library, names);

/** Values alone are subtracted: xarray would leave out what has other coordinates. */
function differenceLines(library: Library, isTransposed: boolean): string[] {
  const other = `data2${library === "xarray" ? ".values" : ""}${isTransposed ? ".T" : ""}`;
  const about = "# The first minus the second, element by element.";
  return ["", about, `difference = data.astype("float64") - ${other}`];
}

function storeOf({ kind, address, isLocal }: StoreLocation): StoreCode | null {
  const location = quoted(address);
  if (kind === "zip" && isLocal)
    return { packages: [], imports: ["import zarr"], make: `zarr.storage.ZipStore(${location}, mode="r")` };
  if (kind === "zip") {
    const make = `zarr.storage.FsspecStore.from_url(${quoted(`zip::${address}`)}, read_only=True)`;
    return { packages: ["fsspec", "aiohttp"], imports: ["import zarr"], make };
  }
  if (kind === "references" && !isLocal) {
    const options = `storage_options={"fo": ${location}}`;
    const make = `zarr.storage.FsspecStore.from_url("reference://", ${options}, read_only=True)`;
    return { packages: ["fsspec", "aiohttp"], imports: ["import zarr"], make };
  }
  if (kind !== "folder") return null;
  return { packages: isLocal ? [] : ["fsspec", "aiohttp"], imports: [], make: location };
}

/** Whether xarray unpacks as the viewer does. It does not look at the limits of valid values. */
const readsAlike = (unpacking: Unpacking | null) =>
  unpacking === null || !(hasLimits(unpacking) || unpacking.isReinterpreted);

function noteLines({ isWarped, level }: ViewRead): string[] {
  return [
    ...(level === null ? [] : [`# Level ${level} of the image, which is the one on the screen.`]),
    ...(isWarped ? ["# Rows and columns are not those of the map: this reads the whole plane."] : []),
  ];
}

function datasetLines(read: ViewRead, { array, own, store, opensArray }: VariableNames): string[] {
  const { path, axes, unpacking } = read;
  const slash = path.lastIndexOf("/");
  const [group, name] = [path.slice(0, Math.max(slash, 0)), path.slice(slash + 1)];
  const options = [
    store,
    ...(group === "" ? [] : [`group=${quoted(group)}`]),
    "chunks=None",
    ...(unpacking ? [] : ["mask_and_scale=False"]),
  ];
  const select = (part: readonly (number | Run)[]) => `${array}.isel(${namedText(axes, part)})`;
  return [
    ...(opensArray ? [`${array} = xr.open_zarr(${options.join(", ")})[${quoted(name)}]`] : []),
    ...noteLines(read),
    `${own("data")} = ${joined(axes, select, (parts, axis) => {
      return `xr.concat([${parts.join(", ")}], ${quoted(axes[axis]?.name ?? "")})`;
    })}`,
  ];
}

const isWord = (name: string) => /^[A-Za-z_]\w*$/.test(name);

/** Keyword arguments, or a dictionary for names that are no words. */
function namedText(axes: readonly AxisRead[], part: readonly (number | Run)[]): string {
  const text = (read: number | Run | undefined) =>
    typeof read === "object" ? `slice(${read[0]}, ${read[1]})` : String(read);
  if (axes.every(({ name }) => isWord(name)))
    return axes.map(({ name }, at) => `${name}=${text(part[at])}`).join(", ");
  return `{${axes.map(({ name }, at) => `${quoted(name)}: ${text(part[at])}`).join(", ")}}`;
}

function arrayLines(read: ViewRead, library: Library, names: VariableNames): string[] {
  const { path, axes, unpacking } = read;
  const { array, own, store, opensArray } = names;
  const data = own("data");
  const at = path === "" ? "" : `, path=${quoted(path)}`;
  const select = (part: readonly (number | Run)[]) =>
    `${array}[${part.map((read) => (typeof read === "number" ? read : `${read[0]}:${read[1]}`)).join(", ")}]`;
  const elements = joined(axes, select, (parts, axis) => {
    const before = axes.slice(0, axis).filter(({ read }) => typeof read !== "number").length;
    return `np.concatenate([${parts.join(", ")}], axis=${before})`;
  });
  const isUnpacked = unpacking !== null && !isPlain(unpacking);
  return [
    ...(opensArray ? [`${array} = zarr.open_array(${store}${at}, mode="r")`] : []),
    ...noteLines(read),
    ...(isUnpacked
      ? [`${own("stored")} = ${elements}`, ...unpackLines(unpacking, names)]
      : [`${data} = ${elements}`]),
    ...(library === "xarray" ? [`${data} = xr.DataArray(${data}, dims=${dimensionsOf(axes)})`] : []),
  ];
}

/** The dimensions that the read keeps. Those without a name get xarray's. */
function dimensionsOf(axes: readonly AxisRead[]): string {
  const kept = axes.filter(({ read }) => typeof read !== "number");
  const areNamed = new Set(kept.map(({ name }) => name).filter(Boolean)).size === kept.length;
  return `[${kept.map(({ name }, at) => quoted(areNamed ? name : `dim_${at}`)).join(", ")}]`;
}

/** The expression of a read with several ranges along some axes. */
function joined(
  axes: readonly AxisRead[],
  select: (part: readonly (number | Run)[]) => string,
  join: (parts: readonly string[], axis: number) => string,
): string {
  const below = (part: readonly (number | Run)[]): string => {
    const axis = part.length;
    const read = axes[axis]?.read;
    if (read === undefined) return select(part);
    if (typeof read === "number") return below([...part, read]);
    const parts = read.map((run) => below([...part, run]));
    return parts.length === 1 ? (parts[0] ?? "") : join(parts, axis);
  };
  return below([]);
}

function unpackLines(
  { scale, offset, missing, valid, isReinterpreted }: Unpacking,
  { own }: VariableNames,
): string[] {
  const [low, high] = valid;
  const [data, stored] = [own("data"), own("stored")];
  const tests = [
    ...(missing.length > 0 ? [`np.isin(${stored}, [${missing.join(", ")}])`] : []),
    ...(Number.isFinite(low) ? [`(${stored} < ${low})`] : []),
    ...(Number.isFinite(high) ? [`(${stored} > ${high})`] : []),
  ];
  const scaled = `${stored}${scale === 1 ? "" : ` * ${scale}`}${offset === 0 ? "" : ` + ${offset}`}`;
  return [
    ...(isReinterpreted ? ["# The attribute _Unsigned is not taken into account."] : []),
    tests.length > 0 ? `${data} = np.where(${tests.join(" | ")}, np.nan, ${scaled})` : `${data} = ${scaled}`,
  ];
}
