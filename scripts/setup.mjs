/**
 * Checks and installs what building and testing need: the npm packages, Rust's wasm target, a C
 * compiler for wasm (zstd is C), Chromium for the browser tests, and nginx for the tests of HTTP
 * caches. A second run only checks. It uses only Node's own modules. It runs by itself (`npm run
 * setup`) and before every other command.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { ask, command, has, ROOT, run, StepFailed, say } from "./run_command.mjs";

const WASM_TARGET = "wasm32-unknown-unknown";
function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new StepFailed(`Node ${process.versions.node} is too old: install Node 20.19 or newer`);
  }
}

/**
 * Whether `node_modules` of a folder has the versions of its `package-lock.json`, as npm records.
 */
function nodeModulesCurrent(folder) {
  const record = join(folder, "node_modules/.package-lock.json");
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, "utf8")).packages;
  const wanted = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === "" || optional || installed[path]?.version === version,
  );
}

/** Installs the npm packages of a folder: those of the project, or of a part that has its own. */
export async function installNodeModules(folder = ROOT) {
  checkNode();
  if (nodeModulesCurrent(folder)) return;
  const name = relative(ROOT, join(folder, "package-lock.json"));
  const args = ["ci", "--no-audit", "--no-fund"];
  await run(`npm ci: the npm packages of ${name} (half a minute)`, "npm", args, { cwd: folder });
}

/** Checks Rust and its standard library for wasm. */
async function installRustTarget() {
  if (!has("cargo")) {
    throw new StepFailed("cargo is missing: install Rust from https://rustup.rs, then run this again");
  }
  const libraries = ask("rustc", ["--print", "target-libdir", "--target", WASM_TARGET]);
  if (libraries && existsSync(libraries)) return;
  if (!has("rustup")) {
    throw new StepFailed(
      `this Rust has no ${WASM_TARGET} library and there is no rustup to add it: install rustup`,
    );
  }
  await run(`rustup: the ${WASM_TARGET} target`, "rustup", ["target", "add", WASM_TARGET]);
}

/** Whether this clang can compile to wasm. Apple's cannot. */
function makesWasm(clang) {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-clang-"));
  try {
    const source = join(folder, "probe.c");
    writeFileSync(source, "int probe(int x) { return x + 1; }\n");
    const args = ["--target=wasm32", "-msimd128", "-c", source, "-o", join(folder, "probe.o")];
    return spawnSync(clang, args, { stdio: "ignore" }).status === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let packageListsFresh = false;

/** Installs the first of the packages that Debian has, if that needs no password. */
async function aptInstall(what, packages) {
  const root = process.getuid?.() === 0;
  const prefix = root ? [] : ["sudo", "-n"];
  const possible = has("apt-get") && (root || has("sudo", ["-n", "true"]));
  if (!possible) return;
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const apt = (title, args) => {
    const [program, ...rest] = [...prefix, "apt-get", "-o", "DPkg::Lock::Timeout=300", ...args];
    return run(title, program, rest, { env });
  };
  if (!packageListsFresh) await apt("apt-get update", ["update", "-qq"]);
  packageListsFresh = true;
  const known = packages.find((name) => ask("apt-cache", ["show", name])) ?? packages[0];
  await apt(`apt-get: ${known}, ${what}`, ["install", "-y", "--no-install-recommends", known]);
}

/**
 * The programs of the machine: the variable that names another one, the names that it may have, the
 * packages of Debian that have it, and what is said where it is missing.
 */
const PROGRAMS = {
  clang: {
    variable: "CC_wasm32_unknown_unknown",
    candidates: [...[22, 21, 20, 19, 18, 17, 16, 15, 14].map((version) => `clang-${version}`), "clang"],
    works: makesWasm,
    packages: ["clang-19", "clang"],
    what: "to compile zstd to wasm (about 100 MB)",
    missing: "no clang that can make wasm: `apt-get install clang`, `brew install llvm`",
  },
  chromium: {
    variable: "CHROMIUM",
    candidates: [
      "/usr/bin/chromium",
      "/usr/bin/chromium-browser",
      "/usr/bin/google-chrome",
      "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
      "/Applications/Chromium.app/Contents/MacOS/Chromium",
    ],
    works: existsSync,
    packages: ["chromium"],
    what: "for the browser tests (about 120 MB)",
    missing: "no Chromium for the browser tests: `apt-get install chromium`",
  },
  // The service that Debian starts with the package is not used, because tests start their own.
  nginx: {
    variable: "NGINX",
    candidates: ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx"],
    works: existsSync,
    packages: ["nginx", "nginx-light"],
    what: "for the tests of HTTP caches (about 2 MB)",
    missing: "no nginx for the tests of HTTP caches: `apt-get install nginx`",
  },
};

const find = ({ variable, candidates, works }) =>
  [process.env[variable], ...candidates].find((program) => program && works(program));

/** Resolves to the path of a program, which is installed if it is missing and needed. */
async function program(name, isNeeded) {
  const kind = PROGRAMS[name];
  const found = find(kind);
  if (found || !isNeeded) return found;
  await aptInstall(kind.what, kind.packages);
  const installed = find(kind);
  if (!installed) throw new StepFailed(`${kind.missing}, or set ${kind.variable} to its path`);
  return installed;
}

/**
 * Debian's packages of Firefox, of WebKitGTK, and of the display that they need. Each has a
 * function that tells whether it is there.
 */
const ENGINES = {
  "firefox-esr": () => has("firefox-esr"),
  "webkit2gtk-driver": () => has("WebKitWebDriver"),
  xvfb: () => has("Xvfb", ["-help"]),
};

/** The lane reports the engines that could not be installed. */
async function installEngines() {
  for (const [name, runs] of Object.entries(ENGINES))
    if (!runs()) await aptInstall("for the tests in Firefox and WebKitGTK", [name]);
}

/** Debian's packages of the servers that the lane `servers` reads from, and their programs. */
const SERVERS = { "apache2-bin": "/usr/sbin/apache2", caddy: "/usr/bin/caddy" };

/** The lane reports the servers that could not be installed. */
async function installServers() {
  for (const [name, program] of Object.entries(SERVERS))
    if (!existsSync(program)) await aptInstall("a server for the lane servers", [name]);
}

/**
 * Prepares the machine. `needs.rust`: for building the wasm; `needs.browser`: for the browser
 * tests; `needs.nginx`: for the tests of HTTP caches; `needs.servers` and `needs.engines`: for the
 * lanes of these names. Resolves to the paths of the tools.
 */
export async function setUp(needs) {
  await installNodeModules();
  if (needs.rust) await installRustTarget();
  if (needs.servers) await installServers();
  if (needs.engines) await installEngines();
  return {
    clang: needs.rust ? await program("clang", true) : undefined,
    chromium: await program("chromium", needs.browser),
    nginx: await program("nginx", needs.nginx),
  };
}

if (import.meta.filename === process.argv[1]) {
  await command(async () => {
    const { clang, chromium, nginx } = await setUp({ rust: true, browser: true, nginx: true });
    say(`ready: ${clang} makes wasm, ${chromium} runs the browser tests, ${nginx} caches`);
  });
}
