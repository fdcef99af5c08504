/**
 * Checks the crates that a Rust program may import, which are those without `publish = false`: that
 * cargo packages them, and that their documentation has no warnings. `npm run check` does so in
 * seconds. With `--verify` it also compiles each from its package alone, which takes minutes: a
 * file that a crate has outside its folder is found then.
 */
import { ask, command, run, StepFailed, say } from "./run_command.mjs";

/** The names of the published crates. */
function published() {
  const workspace = ask("cargo", ["metadata", "--locked", "--no-deps", "--format-version", "1"]);
  if (workspace === undefined) throw new StepFailed("cargo metadata failed");
  const { packages } = JSON.parse(workspace);
  return packages.filter(({ publish }) => publish === null).map(({ name }) => name);
}

await command(async (args) => {
  const names = published();
  const crates = names.flatMap((name) => ["--package", name]);
  const verify = args.includes("--verify") ? [] : ["--no-verify"];
  // They are packaged together, because each finds the others only among these packages.
  const packaging = ["package", "--locked", "--allow-dirty", ...verify, ...crates];
  const output = await run("cargo package: the published crates", "cargo", packaging);
  // cargo only warns of a target or a README that a package lacks.
  const warnings = output.split("\n").filter((line) => line.startsWith("warning:"));
  if (warnings.length > 0) throw new StepFailed(warnings.join("\n"));
  const documenting = ["doc", "--locked", "--no-deps", "--lib", ...crates];
  const env = { RUSTDOCFLAGS: "--deny warnings" };
  await run("cargo doc: the published crates", "cargo", documenting, { env });
  for (const name of names) say(`ok ${name}`);
});
