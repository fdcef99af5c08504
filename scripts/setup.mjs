/**
 * Checks and installs what building and testing need: the npm packages, Rust's wasm target, a C
 * compiler for wasm (zstd is C), Chromium for the browser tests, and nginx for the tests of HTTP
 * caches. A second run only checks. It uses only Node's own modules. It runs by itself (`npm run
 * setup`) and before every other command.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, command, has, ROOT, run, StepFailed, say } from "./run_command.mjs";

const WASM_TARGET = "wasm32-unknown-unknown";
const CLANGS = [...[22, 21, 20, 19, 18, 17, 16, 15, 14].map((version) => `clang-${version}`), "clang"];
const CHROMIUMS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new StepFailed(`Node ${process.versions.node} is too old: install Node 20.19 or newer`);
  }
}

/**
 * Whether `node_modules` has the versions of `package-lock.json`, according to npm's own record.
 */
function nodeModulesCurrent() {
  const record = join(ROOT, "node_modules/.package-lock.json");
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, "utf8")).packages;
  const wanted = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === "" || optional || installed[path]?.version === version,
  );
}

export async function installNodeModules() {
  checkNode();
  if (nodeModulesCurrent()) return;
  await run("npm ci: the npm packages of package-lock.json (half a minute)", "npm", [
    "ci",
    "--no-audit",
    "--no-fund",
  ]);
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

const findClang = () =>
  [process.env.CC_wasm32_unknown_unknown, ...CLANGS].find((name) => name && makesWasm(name));

const NGINXES = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx"];
const findNginx = () => [process.env.NGINX, ...NGINXES].find((path) => path && existsSync(path));

const findChromium = () => [process.env.CHROMIUM, ...CHROMIUMS].find((path) => path && existsSync(path));

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

async function installClang() {
  if (findClang()) return;
  await aptInstall("to compile zstd to wasm (about 100 MB)", ["clang-19", "clang"]);
  if (findClang()) return;
  throw new StepFailed(
    "no clang that can make wasm: `apt-get install clang`, `brew install llvm`, or set CC_wasm32_unknown_unknown",
  );
}

async function installChromium() {
  if (findChromium()) return;
  await aptInstall("for the browser tests (about 120 MB)", ["chromium"]);
  if (findChromium()) return;
  throw new StepFailed(
    "no Chromium for the browser tests: `apt-get install chromium`, or set CHROMIUM to its path",
  );
}

async function installNginx() {
  if (findNginx()) return;
  // The service that Debian starts with the package is not used, because tests start their own.
  await aptInstall("for the tests of HTTP caches (about 2 MB)", ["nginx", "nginx-light"]);
  if (findNginx()) return;
  throw new StepFailed(
    "no nginx for the tests of HTTP caches: `apt-get install nginx`, or set NGINX to its path",
  );
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
  if (needs.rust) {
    await installRustTarget();
    await installClang();
  }
  if (needs.browser) await installChromium();
  if (needs.nginx) await installNginx();
  if (needs.servers) await installServers();
  if (needs.engines) await installEngines();
  return { clang: needs.rust ? findClang() : undefined, chromium: findChromium(), nginx: findNginx() };
}

if (import.meta.filename === process.argv[1]) {
  await command(async () => {
    const { clang, chromium, nginx } = await setUp({ rust: true, browser: true, nginx: true });
    say(`ready: ${clang} makes wasm, ${chromium} runs the browser tests, ${nginx} caches`);
  });
}
