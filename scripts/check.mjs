/**
 * `npm run check`: checks formatting, lints, types and spelling. It runs all checks, even if one
 * fails, and takes seconds when warm. `--write` (`npm run fmt`) formats instead.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { command, ROOT, run, StepFailed, say } from "./run_command.mjs";
import { setUp } from "./setup.mjs";
import { installTypos } from "./tools.mjs";

const bin = (path) => [process.execPath, join(ROOT, "node_modules", path)];
const BIOME = bin("@biomejs/biome/bin/biome");
const TSC = bin("typescript/bin/tsc");
const DENY = ["--", "--deny", "warnings"];
const DOCUMENT = ["cargo", "doc", "--locked", "--no-deps", "--lib", "--package", "zarr-wasm"];
const DOC = { RUSTDOCFLAGS: "--deny warnings" };

const writers = () => [
  ["cargo fmt", ["cargo", "fmt", "--all"]],
  ["biome: format, sort imports, safe fixes", [...BIOME, "check", "--write", "."]],
];

/** Each wasm variant is checked separately, because code that one uses may be dead in another. */
const wasmClippy = ({ name, args }, environment) => [
  `clippy, on wasm: ${name}`,
  ["cargo", "clippy", "--locked", ...args, ...DENY],
  environment,
];

function checks({ variants, environment, typos }) {
  return [
    ["cargo fmt --check", ["cargo", "fmt", "--all", "--check"]],
    ["clippy, on the host", ["cargo", "clippy", "--locked", "--workspace", "--all-targets", ...DENY]],
    ...variants.map((variant) => wasmClippy(variant, environment)),
    ["cargo doc: what a Rust program may import", DOCUMENT, DOC],
    ["tsc", [...TSC, "--project", "tsconfig.json"]],
    ["tsc, the viewer", [...TSC, "--project", "www/tsconfig.json"]],
    ["biome", [...BIOME, "check", "."]],
    ["typos: British spelling; .typos.toml has the exceptions", [typos, "--format", "brief"]],
  ];
}

/** The builds whose glue has types in `tsconfig.json`. */
const TYPED = ["engine", "full"];

/**
 * Whether declarations of the glue, which type checking needs, are missing or older than their Rust
 * code. Those of any build will do.
 */
function isGlueOld(folder) {
  const declarations = join(folder, "zarr_wasm.d.ts");
  if (!existsSync(declarations)) return true;
  const made = statSync(declarations).mtimeMs;
  const exporting = join(ROOT, "src/engine/js");
  return readdirSync(exporting).some((name) => statSync(join(exporting, name)).mtimeMs > made);
}

await command(async (args) => {
  const { clang } = await setUp({ rust: true });
  const { buildWasm, cargoArguments, glueFolder, VARIANTS, wasmEnvironment } = await import("./wasm.mjs");
  for (const variant of VARIANTS.filter(({ name }) => TYPED.includes(name)))
    if (isGlueOld(glueFolder(variant.name))) await buildWasm(variant, { quick: true, clang });
  const steps = args.includes("--write")
    ? writers()
    : checks({
        variants: VARIANTS.map((variant) => ({ name: variant.name, args: cargoArguments(variant) })),
        environment: wasmEnvironment(clang),
        typos: await installTypos(),
      });
  const failed = [];
  for (const [title, [program, ...rest], env] of steps) {
    await run(title, program, rest, { env }).catch((error) => {
      if (!(error instanceof StepFailed)) throw error;
      failed.push(title);
    });
  }
  if (failed.length > 0) throw new StepFailed(`failed: ${failed.join("; ")}`);
  say(`\n✓ ${steps.length} checks passed`);
});
