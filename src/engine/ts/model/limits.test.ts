/** Limits and times that TypeScript and Rust share are the same numbers. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as limits from "./limits.ts";

// The unit lane runs in the project's folder.
const HIERARCHY = "src/engine/rust/hierarchy";
const rust = ["src/core/limits.rs", `${HIERARCHY}/open.rs`, `${HIERARCHY}/large_document.rs`]
  .map((path) => readFileSync(path, "utf8"))
  .join();

/** The value of a constant of Rust: a number, a power of two, or the difference of two. */
function constantOf(name: string): number {
  const [, expression = ""] = new RegExp(`const ${name}: \\w+ = ([^;]+);`).exec(rust) ?? [];
  const [first = Number.NaN, ...others] = expression.split(" - ").map((term) => {
    const [base, shift = 0] = term.replace(/[()]/g, "").split(" << ").map(Number);
    return Number(base) * 2 ** shift;
  });
  return others.reduce((value, other) => value - other, first);
}

for (const [name, value] of Object.entries(limits)) {
  test(`${name} is the same in TypeScript and in Rust`, () => assert.equal(value, constantOf(name)));
}
