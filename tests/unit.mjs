/**
 * The unit lane: runs the tests beside the code (`*.test.ts` and `*.test.mjs` in `src`), which need
 * no build of the engine. esbuild bundles each, because Node 20 cannot read TypeScript. An argument
 * selects files by a part of their path: `node tests/unit.mjs selection`.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join, sep } from "node:path";
import { build } from "esbuild";
import { aliases } from "../scripts/bundles.mjs";
import { glueFunctions } from "../scripts/functions.mjs";
import { ROOT } from "../scripts/run_command.mjs";

const SOURCES = join(ROOT, "src");
const OUTPUT = join(ROOT, "target/unit-tests");

const wanted = process.argv[2] ?? "";
const tests = readdirSync(SOURCES, { recursive: true })
  .map((name) => String(name).split(sep).join("/"))
  .filter((name) => /\.test\.(ts|mjs)$/.test(name) && name.includes(wanted));

// Without files `node --test` would run every test that it finds.
if (tests.length === 0) throw new Error(`${SOURCES} has no tests whose path holds "${wanted}"`);

rmSync(OUTPUT, { recursive: true, force: true });
await build({
  absWorkingDir: ROOT,
  entryPoints: tests.map((name) => join(SOURCES, name)),
  outbase: SOURCES,
  outdir: OUTPUT,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "neutral",
  external: ["node:*"],
  sourcemap: "inline",
  logLevel: "error",
  alias: aliases("none"),
  plugins: [glueFunctions],
});
const bundled = tests.map((name) => join(OUTPUT, name.replace(/\.\w+$/, ".mjs")));
const { status } = spawnSync(
  process.execPath,
  ["--enable-source-maps", "--test", "--test-reporter=tap", ...bundled],
  { cwd: ROOT, stdio: "inherit" },
);
process.exitCode = status ?? 1;
