/**
 * Installs the spell checker `typos` into `target/`, once. pip brings a finished binary in seconds.
 * Without pip, cargo compiles it, which takes minutes. `.typos.toml` configures it.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ask, ROOT, run, StepFailed } from "./run_command.mjs";

const VERSION = "1.52.0";
const FOLDER = join(ROOT, `target/typos-${VERSION}`);

const found = () =>
  [join(FOLDER, "bin/typos"), join(FOLDER, "bin/typos.exe"), "typos"].find(
    (path) => (path === "typos" || existsSync(path)) && ask(path, ["--version"]) === `typos-cli ${VERSION}`,
  );

const PIP = [
  ...["-m", "pip", "install", "--quiet", "--disable-pip-version-check"],
  ...["--no-deps", "--only-binary", ":all:", "--upgrade", "--target", FOLDER, `typos==${VERSION}`],
];
const CARGO = ["install", "--quiet", "--locked", "--root", FOLDER, `typos-cli@${VERSION}`];

/** Runs one way to install. Resolves to the program's path, if it then works. */
async function attempt(title, program, args) {
  await run(title, program, args).catch((error) => {
    if (!(error instanceof StepFailed)) throw error;
  });
  return found();
}

/** Resolves to the path of the program. */
export async function installTypos() {
  const ready = found();
  if (ready) return ready;
  const hasPip = ask("python3", ["-m", "pip", "--version"]) !== undefined;
  const installed =
    (hasPip && (await attempt("pip: the spell checker typos", "python3", PIP))) ||
    (await attempt("cargo: the spell checker typos (minutes, once)", "cargo", CARGO));
  if (!installed) throw new StepFailed(`typos ${VERSION} could not be installed`);
  return installed;
}
