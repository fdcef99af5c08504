/**
 * A fresh project of a user: a folder with the consumer's files, its tools from npm at pinned
 * versions, and the packed package. The tools stay in `target/consumers/`, so a second run
 * downloads nothing. It does not know the consumers.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { extract } from "tar";
import { ROOT } from "../../scripts/run_command.mjs";

export const CONSUMERS = join(ROOT, "target/consumers");
export const TARBALL = join(CONSUMERS, "zarr-wasm.tgz");

const PATIENCE_MS = 180_000;

/** Matches lines of a tool's output with a warning or an error. */
const COMPLAINTS = /^.*\b(warn(ing)?s?|error|deprecated|failed)\b.*$/gim;

/** Matches such lines that report no problem. */
const HARMLESS = [
  /^(# )?0 (errors|warnings)/i,
  /\bfail(ed)?:? 0\b/i,
  /[\w/-]*(warn|error)[\w-]*\.(js|html)\b/i,
];

/** Throws if a tool's output has a warning or an error. */
export function expectQuiet(output) {
  const lines = (output.match(COMPLAINTS) ?? []).filter((line) => !HARMLESS.some((word) => word.test(line)));
  if (lines.length > 0) throw new Error(`the tool complains:\n${lines.slice(0, 20).join("\n")}`);
  return output;
}

/** Packs the package as npm publishes it. */
export function packPackage() {
  mkdirSync(CONSUMERS, { recursive: true });
  const args = ["pack", "--json", "--pack-destination", CONSUMERS];
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
  const [{ filename, size, unpackedSize }] = JSON.parse(stdout);
  const packed = join(CONSUMERS, filename);
  writeFileSync(TARBALL, readFileSync(packed));
  rmSync(packed);
  return { size, unpackedSize };
}

/** The environment of tools: no colours, no questions, no telemetry. */
const ENVIRONMENT = {
  ...process.env,
  CI: "true",
  NO_COLOR: "1",
  FORCE_COLOR: undefined,
  NEXT_TELEMETRY_DISABLED: "1",
  NODE_OPTIONS: undefined,
};

export class Project {
  /**
   * `at` is `{ data, samples, servingFolder, freePort }`: the URLs of the array and of the samples, a
   * function that serves a folder, and one that returns a free port. `files` are text by path, or a
   * function that makes them for `at`.
   */
  constructor(name, { packages = {}, files = {}, type = "module" }, at) {
    this.folder = join(CONSUMERS, name);
    this.packages = packages;
    this.files = typeof files === "function" ? files(at) : files;
    this.type = type;
    this.at = at;
  }

  /** Installs the tools if they changed, unpacks the package, and writes the files. */
  async prepare() {
    mkdirSync(this.folder, { recursive: true });
    await this.#install();
    const own = join(this.folder, "node_modules/zarr-wasm");
    rmSync(own, { recursive: true, force: true });
    mkdirSync(own, { recursive: true });
    await extract({ file: TARBALL, cwd: own, strip: 1 });
    for (const [name, text] of Object.entries(this.files)) this.write(name, text);
  }

  write(name, text) {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  async #install() {
    const manifest = { private: true, type: this.type, dependencies: this.packages };
    const text = JSON.stringify(manifest, null, 2);
    const path = join(this.folder, "package.json");
    const record = join(this.folder, "installed.json");
    writeFileSync(path, text);
    if (existsSync(record) && readFileSync(record, "utf8") === text) return;
    rmSync(join(this.folder, "node_modules"), { recursive: true, force: true });
    if (Object.keys(this.packages).length > 0) {
      await this.run("npm", ["install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]);
    }
    writeFileSync(record, text);
  }

  /** Returns the path of a program that an installed package brings. */
  bin(name) {
    return join(this.folder, "node_modules/.bin", name);
  }

  /**
   * Runs a program to its end, for at most `patience` ms. Resolves to its output; rejects if it
   * fails.
   */
  async run(program, args, { env = {}, patience = PATIENCE_MS, folder = this.folder } = {}) {
    const child = this.#spawn(program, args, { env, folder });
    let output = "";
    const collect = (text) => {
      output += text;
    };
    child.stdout.setEncoding("utf8").on("data", collect);
    child.stderr.setEncoding("utf8").on("data", collect);
    const timer = setTimeout(child.end, patience);
    const [code, signal] = await once(child, "close");
    clearTimeout(timer);
    if (code === 0) return output;
    throw new Error(`${program} ${args.join(" ")}: ended by ${signal ?? code}\n${output}`);
  }

  /** As `run`. Rejects if the output has a warning or an error, too. */
  async quietly(program, args, options) {
    return expectQuiet(await this.run(program, args, options));
  }

  /** Starts a process, with a method that ends it and its children. */
  #spawn(program, args, { env, folder = this.folder }) {
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...ENVIRONMENT, ...env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.end = () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {} // already gone
    };
    process.once("exit", child.end);
    child.once("close", () => process.removeListener("exit", child.end));
    return child;
  }

  /**
   * Starts a server. `ready` is a regular expression; its first group is the server's URL. `use`
   * gets the URL. Then the server ends, and its output must have no warning and no error.
   */
  async serving(program, args, { ready, env = {} }, use) {
    const child = this.#spawn(program, args, { env });
    let output = "";
    try {
      const url = await new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no server:\n${output}`)), PATIENCE_MS);
        const heard = (text) => {
          output += text;
          const match = ready.exec(output);
          if (match) resolve(match[1]);
          if (match) clearTimeout(timer);
        };
        child.stdout.setEncoding("utf8").on("data", heard);
        child.stderr.setEncoding("utf8").on("data", heard);
        child.once("exit", () => reject(new Error(`the server ended:\n${output}`)));
      });
      await use(url);
    } finally {
      child.end();
    }
    return expectQuiet(output);
  }
}
