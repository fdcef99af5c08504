/**
 * `npm run check`: checks formatting, lints, types and spelling. It runs all checks, even if one
 * fails, and takes seconds when warm. `--write` (`npm run fmt`) formats instead.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { command, ROOT, run, StepFailed, say } from "./run_command.mjs";
import { setUp } from "./setup.mjs";
import { brokenBudgets } from "./sizes.mjs";
import { installTypos } from "./tools.mjs";
import {
  buildWasm,
  GLUE_SOURCES,
  glueFolder,
  PACKAGES,
  VARIANTS,
  WASM_TARGET,
  wasmEnvironment,
} from "./wasm.mjs";

const bin = (path) => [process.execPath, join(ROOT, "node_modules", path)];
const BIOME = bin("@biomejs/biome/bin/biome");
const TSC = bin("typescript/bin/tsc");
const DENY = ["--", "--deny", "warnings"];
const CRATES = [process.execPath, join(ROOT, "scripts/crates.mjs")];

const LAYERS = [process.execPath, join(ROOT, "scripts/layers.mjs")];

const writers = () => [
  ["the layers of TypeScript", [...LAYERS, "--write"]],
  ["cargo fmt", ["cargo", "fmt", "--all"]],
  ["biome: format, sort imports, safe fixes", [...BIOME, "check", "--write", "."]],
];

/** Checks the engine alone and all builds at once. Building finds dead code of other builds. */
const wasmClippy = (clang) =>
  [
    ["the engine without features", ["--package", "zarr-wasm-engine", "--no-default-features"]],
    ["all builds at once", PACKAGES],
  ].map(([what, packages]) => [
    `clippy, on wasm: ${what}`,
    ["cargo", "clippy", "--locked", "--lib", "--target", WASM_TARGET, ...packages, ...DENY],
    wasmEnvironment(clang),
  ]);

/** They are in turn, because cargo locks its folder. */
const rustChecks = (clang) => [
  ["cargo fmt --check", ["cargo", "fmt", "--all", "--check"]],
  ["clippy, on the host", ["cargo", "clippy", "--locked", "--workspace", "--all-targets", ...DENY]],
  ...wasmClippy(clang),
  ["the published crates: they package, and their documentation has no warnings", CRATES],
];

const otherChecks = (typos) => [
  ["tsc", [...TSC, "--project", "tsconfig.json"]],
  ["tsc, the viewer", [...TSC, "--project", "www/tsconfig.json"]],
  ["the layers of TypeScript: biome.json of src and www/src", LAYERS],
  ["biome", [...BIOME, "check", "."]],
  ["typos: British spelling; .typos.toml has the exceptions", [typos, "--format", "brief"]],
];

/**
 * Whether declarations of the glue, which type checking needs, are missing or older than their Rust
 * code. Those of any build will do.
 */
function isGlueOld({ name }) {
  const declarations = join(glueFolder(name), "zarr_wasm.d.ts");
  if (!existsSync(declarations)) return true;
  const made = statSync(declarations).mtimeMs;
  return readdirSync(GLUE_SOURCES).some((file) => statSync(join(GLUE_SOURCES, file)).mtimeMs > made);
}

/** Whether a size of the ledger exceeds its budget. Says which. */
function exceedsBudget() {
  const broken = brokenBudgets();
  for (const line of broken) say(`  ${line}`);
  return broken.length > 0;
}

/** Builds the glue that type checking needs: `tsconfig.json` has its types. */
async function buildGlue(clang) {
  for (const variant of VARIANTS.filter(({ operates }) => operates))
    if (isGlueOld(variant)) await buildWasm(variant, { quick: true, clang });
}

/** Runs steps in turn, all of them. Resolves to the titles of those that failed. */
async function failuresOf(steps) {
  const failed = [];
  for (const [title, [program, ...rest], env] of steps) {
    await run(title, program, rest, { env, name: title.split(":")[0] }).catch((error) => {
      if (!(error instanceof StepFailed)) throw error;
      failed.push(title);
    });
  }
  return failed;
}

/** Checks Rust beside everything else. The glue is built elsewhere than Rust is checked. */
async function check(clang) {
  const others = async () => {
    await buildGlue(clang);
    return failuresOf(otherChecks(await installTypos()));
  };
  return (await Promise.all([failuresOf(rustChecks(clang)), others()])).flat();
}

await command(async (args) => {
  const { clang } = await setUp({ rust: true });
  const failed = exceedsBudget() ? ["budgets of sizes"] : [];
  failed.push(...(await (args.includes("--write") ? failuresOf(writers()) : check(clang))));
  if (failed.length > 0) throw new StepFailed(`failed: ${failed.join("; ")}`);
  say("\n✓ all checks passed");
});
