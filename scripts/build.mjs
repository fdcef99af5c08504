/**
 * `npm run build`: builds wasm and TypeScript to `dist/`, as published. `--quick` is for
 * development: it omits link-time optimisation, minification and wasm-opt. `--ledger` writes the
 * sizes of a release build to `sizes.json`.
 */
import { command, StepFailed, say, seconds } from "./run_command.mjs";
import { setUp } from "./setup.mjs";

export async function build(options) {
  const started = performance.now();
  const { clang } = await setUp({ rust: true });
  const { buildWasm, VARIANTS } = await import("./wasm.mjs");
  const { buildPackage } = await import("./package.mjs");
  for (const variant of VARIANTS) await buildWasm(variant, { ...options, clang });
  await buildPackage(options);
  say(`\n✓ dist/ is built (${options.quick ? "quick" : "release"}) in ${seconds(started)}`);
}

if (import.meta.filename === process.argv[1]) {
  await command(async (args) => {
    const unknown = args.find((argument) => !["--quick", "--ledger"].includes(argument));
    if (unknown) throw new StepFailed(`unknown option ${unknown}: there are --quick and --ledger`);
    await build({ quick: args.includes("--quick"), ledger: args.includes("--ledger") });
  });
}
