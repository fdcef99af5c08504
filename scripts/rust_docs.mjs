/** The documentation of the crates that a Rust program may import, in `target/doc`. */
import { ask, run, StepFailed } from "./run_command.mjs";

/** The names of the published crates: those without `publish = false`. */
export function published() {
  const workspace = ask("cargo", ["metadata", "--locked", "--no-deps", "--format-version", "1"]);
  if (workspace === undefined) throw new StepFailed("cargo metadata failed");
  const { packages } = JSON.parse(workspace);
  return packages.filter(({ publish }) => publish === null).map(({ name }) => name);
}

/** Makes it. Warnings are errors. */
export async function documentCrates() {
  const crates = published().flatMap((name) => ["--package", name]);
  const args = ["doc", "--locked", "--no-deps", "--lib", ...crates];
  await run("cargo doc: the published crates", "cargo", args, {
    env: { RUSTDOCFLAGS: "--deny warnings" },
  });
}
