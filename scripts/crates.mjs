/**
 * Checks the crates that a Rust program may import, which are those without `publish = false`: that
 * cargo packages them, and that their documentation has no warnings. `npm run check` does so in
 * seconds. With `--verify` it also compiles each from its package alone, which takes minutes: a
 * file that a crate has outside its folder is found then.
 */
import { command, run, StepFailed, say } from "./run_command.mjs";
import { documentCrates, published } from "./rust_docs.mjs";

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
  await documentCrates();
  for (const name of names) say(`ok ${name}`);
});
