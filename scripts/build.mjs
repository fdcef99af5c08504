/**
 * `npm run build`: builds wasm and TypeScript to `dist/`, as published. `--quick` is for
 * development: it omits link-time optimisation, minification and wasm-opt. `--ledger` writes the
 * sizes of a release build to `sizes.json`.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { begin, finish, finished, keyOf } from "./finished.mjs";
import { buildPackage } from "./package.mjs";
import { command, ROOT, StepFailed, say, seconds } from "./run_command.mjs";
import { setUp } from "./setup.mjs";
import { buildWasm, LIGHT, VARIANTS } from "./wasm.mjs";

/** The sources of dist/. */
const SOURCES = [
  ...[".cargo", "Cargo.lock", "Cargo.toml", "package-lock.json", "package.json", "src"],
  ...["tsconfig.build.json", "tsconfig.json", "www/src", "www/style", "xtask/Cargo.toml", "xtask/src"],
  "scripts/builds.json",
  ...["build", "bundles", "embed", "package"].map((name) => `scripts/${name}.mjs`),
  ...["functions", "lazy", "minified", "texts", "wasm"].map((name) => `scripts/${name}.mjs`),
];

/** Whether dist/ is made of the sources as they are. A release build also serves as a quick one. */
export function isBuilt({ quick }) {
  const there = finished("dist");
  const isFinished = there?.key === keyOf(SOURCES) && (quick || !there.quick);
  return isFinished && existsSync(join(ROOT, "dist/index.js"));
}

export async function buildUnlessFinished(options) {
  if (isBuilt(options))
    say(`· the package: dist/ is finished (${finished("dist").quick ? "quick" : "release"})`);
  else await build(options);
}

/**
 * Builds dist/. With `isFirst` it has only what a first picture needs: no encoders, no codecs of
 * images, no declarations.
 */
export async function build(options) {
  const started = performance.now();
  begin("dist");
  const key = keyOf(SOURCES);
  const { clang } = await setUp({ rust: true });
  for (const variant of [...VARIANTS, LIGHT])
    if (variant.isFirst || !options.isFirst) await buildWasm(variant, { ...options, clang });
  await buildPackage(options);
  const isWhole = !options.isFirst;
  if (isWhole) finish("dist", { key, quick: Boolean(options.quick) });
  const wholeKind = options.quick ? "quick" : "release";
  const kind = isWhole ? wholeKind : "what a first picture needs";
  say(`\n✓ dist/ is built (${kind}) in ${seconds(started)}`);
}

if (import.meta.filename === process.argv[1]) {
  await command(async (args) => {
    const unknown = args.find((argument) => !["--quick", "--ledger"].includes(argument));
    if (unknown) throw new StepFailed(`unknown option ${unknown}: there are --quick and --ledger`);
    await build({ quick: args.includes("--quick"), ledger: args.includes("--ledger") });
  });
}
