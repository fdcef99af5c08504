/**
 * Installs `cargo-deny` into `target/`, once. cargo compiles it, which takes minutes, without much
 * optimisation. `deny.toml` configures it.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ask, ROOT, run } from "./run_command.mjs";

const VERSION = "0.20.2";
const FOLDER = join(ROOT, `target/cargo-deny-${VERSION}`);
const PROGRAM = join(FOLDER, "bin", process.platform === "win32" ? "cargo-deny.exe" : "cargo-deny");

const QUICK = {
  CARGO_PROFILE_RELEASE_OPT_LEVEL: "1",
  CARGO_PROFILE_RELEASE_LTO: "off",
  CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "16",
};

/** Resolves to the path of the program. */
export async function installCargoDeny() {
  const isThere = existsSync(PROGRAM) && ask(PROGRAM, ["--version"]) === `cargo-deny ${VERSION}`;
  if (isThere) return PROGRAM;
  const args = ["install", "--quiet", "--locked", "--root", FOLDER, `cargo-deny@${VERSION}`];
  await run("cargo: cargo-deny (minutes, once)", "cargo", args, { env: QUICK });
  return PROGRAM;
}
