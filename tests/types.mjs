/**
 * The types lane: compiles our TypeScript. Then it compiles `tests/types/*.test-d.ts`, and the code
 * of README.md and docs/, against the published declarations, under both module resolutions that
 * users have, and under every strict flag. Prints one line per project.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compiledModulesOf, PAGES } from "./support/docs/snippets.mjs";
import { undefinedOptions } from "./types/undefined_options.mjs";

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

/** A project under every strict flag of the compiler, made from the declarations. */
const STRICT = join(ROOT, "target/strict-types");
mkdirSync(STRICT, { recursive: true });
writeFileSync(join(STRICT, "options.ts"), undefinedOptions());
writeFileSync(
  join(STRICT, "tsconfig.json"),
  JSON.stringify({ extends: join(ROOT, "tests/types/strict/tsconfig.json"), include: ["*.ts"] }),
);

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
  ["published types under every strict flag", ["--project", "tests/types/strict/tsconfig.json"]],
  ["optional members of all options under every strict flag", ["--project", STRICT]],
  ["the code of README.md and docs/", ["--project", SNIPPETS]],
];

const compile = (args) => spawnSync(process.execPath, [TSC, ...args], { cwd: ROOT, encoding: "utf8" });

function report(title, isRight, output) {
  console.log(`${isRight ? "ok" : "not ok"} ${title}`);
  if (isRight) return;
  console.log(output);
  process.exitCode = 1;
}

for (const [title, args] of PROJECTS) {
  const { status, stdout, stderr } = compile(args);
  report(title, status === 0, stdout + stderr);
}

/**
 * The compiler explains a wrong option by the option, and never by the location, which is right.
 */
function wrongOptions() {
  const file = "tests/types/wrong/options.ts";
  const calls = readFileSync(join(ROOT, file), "utf8").match(/knd:/g).length;
  const { stdout } = compile([
    "--ignoreConfig",
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--types",
    "",
    file,
  ]);
  const named = stdout.match(/'knd' does not exist in type/g)?.length;
  report(
    "what the compiler says of options that do not exist",
    named === calls && !/LocationOrStore</.test(stdout),
    stdout,
  );
}

wrongOptions();

/** The declarations of all entries of the package. */
function declarationsOfEntries() {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return Object.values(exports).flatMap(({ types }) => types ?? []);
}

/**
 * Compilers before TypeScript 5.7 know no typed array with a parameter for its memory. tsc writes
 * one where a source does not name the type (`own_memory.ts`).
 */
function parametersOfMemory() {
  const listing = [
    "--ignoreConfig",
    "--listFilesOnly",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
  ];
  const { stdout } = compile([...listing, ...declarationsOfEntries()]);
  const published = stdout.split("\n").filter((file) => file.includes("/dist/types/"));
  const lines = published.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => /\b(\w+Array|ArrayBufferView|DataView)<(Shared)?ArrayBuffer/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  const isRight = published.length > 0 && lines.length === 0;
  report("published types are those of TypeScript 5.0", isRight, lines.join("\n"));
}

parametersOfMemory();
