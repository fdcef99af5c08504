/**
 * The types lane: compiles our TypeScript. Then it compiles `tests/types/*.test-d.ts`, and the code
 * of README.md and docs/, against the published declarations, under both module resolutions that
 * users have. Prints one line per project.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compiledModulesOf, PAGES } from "./docs/snippets.mjs";

const ROOT = join(import.meta.dirname, "..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

const SNIPPETS = join(ROOT, "target/docs-snippets/types");

/** The compiler finds options that do not exist, which run without an effect. */
const SNIPPET_OPTIONS = {
  target: "es2022",
  lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"],
  module: "esnext",
  moduleResolution: "bundler",
  strict: true,
  // The code of the pages is JavaScript: parameters have no types.
  noImplicitAny: false,
  skipLibCheck: true,
  noEmit: true,
  types: ["node"],
};

/** Writes the code of the documentation as modules, whose lines are those of their pages. */
function writeSnippets() {
  rmSync(SNIPPETS, { recursive: true, force: true });
  mkdirSync(SNIPPETS, { recursive: true });
  for (const page of PAGES) {
    compiledModulesOf(page).forEach((source, index) => {
      writeFileSync(join(SNIPPETS, `${page.replaceAll("/", "-")}.${index}.ts`), source);
    });
  }
  const project = { compilerOptions: SNIPPET_OPTIONS, include: ["*.ts"] };
  writeFileSync(join(SNIPPETS, "tsconfig.json"), JSON.stringify(project));
}

writeSnippets();

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
  ["the code of README.md and docs/", ["--project", SNIPPETS]],
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
