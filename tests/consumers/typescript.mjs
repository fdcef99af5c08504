/** TypeScript: the published types under each module resolution, with all checks of libraries. */
const PROGRAM = `import * as zarr from "zarr-wasm";
import FetchStore from "zarr-wasm/fetch";
import { FileSystemStore } from "zarr-wasm/fs";
import ZipFileStore from "zarr-wasm/zip";

export const names: zarr.NumberDataType[] = ["int8", "float16"];
export async function read(array: zarr.Array<zarr.DataType>): Promise<number> {
  if (!array.is("number")) return 0;
  const dtype: "int8" | "int16" | "int32" | "uint8" | "uint16" | "uint32" | "float16" | "float32" | "float64" = array.dtype;
  const { data } = await zarr.get(array, [zarr.slice(2)]);
  return dtype.length + data.length + new FileSystemStore("a").root.length;
}
export const group: zarr.GroupMetadataV2 = { zarr_format: 2 };
export const stores: zarr.AsyncReadable[] = [new FetchStore("https://host"), new zarr.FileSystemStore("folder")];
export const archive: Promise<zarr.Array<zarr.DataType, ZipFileStore>> = zarr.open(
  ZipFileStore.fromUrl("https://host/a.zip"),
  { kind: "array" },
);
// @ts-expect-error a number is not a URL
new FetchStore(5);
`;

/** The module format of each module resolution. */
const RESOLUTIONS = { node: "commonjs", node16: "node16", bundler: "esnext" };

function check(project, resolution, options) {
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022", "dom"],
    module: RESOLUTIONS[resolution],
    moduleResolution: resolution,
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    types: [],
    ...options,
  };
  project.write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["read.ts"] }));
  return project.quietly(process.execPath, ["node_modules/typescript/bin/tsc", "--project", "."]);
}

/** `resolutions` are the module resolutions that the version supports. */
export const typescript = (version, resolutions, options = {}) => ({
  name: `TypeScript ${version}`,
  folder: `typescript-${version}`,
  packages: { typescript: version },
  files: { "read.ts": PROGRAM },
  checks: Object.fromEntries(
    resolutions.map((resolution) => [
      `moduleResolution ${resolution}`,
      (project) => check(project, resolution, options),
    ]),
  ),
});
