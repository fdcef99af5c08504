/**
 * The types lane: compiles our TypeScript, and `tests/types/*.test-d.ts` with the published
 * declarations, under both module resolutions that users have. Prints one line per project.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

const PROJECTS = [
  ["the package's sources", ["--project", "tsconfig.json"]],
  ["published types under moduleResolution bundler", ["--project", "tests/types/tsconfig.json"]],
  [
    "published types under moduleResolution nodenext",
    ["--project", "tests/types/tsconfig.json", "--module", "nodenext", "--moduleResolution", "nodenext"],
  ],
  [
    "published types with those of Node, without lib.dom",
    ["--project", "tests/types/tsconfig.json", "--lib", "es2022", "--types", "node"],
  ],
];

for (const [title, args] of PROJECTS) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [TSC, ...args], {
    cwd: ROOT,
    encoding: "utf8",
  });
  console.log(`${status === 0 ? "ok" : "not ok"} ${title}`);
  if (status !== 0) {
    console.log(stdout + stderr);
    process.exitCode = 1;
  }
}
